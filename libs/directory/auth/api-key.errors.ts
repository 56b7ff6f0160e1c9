import { badRequest, defineErrors } from '#platform/contracts';

/** API keys of other accounts. */
export const apiKeyErrors = defineErrors({
  noSuchBot: badRequest('No such bot', 'The organisation has no active bot with this id.'),
});
