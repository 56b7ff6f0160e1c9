import { badRequest, defineErrors } from '#platform/contracts';

/** Presence. */
export const presenceErrors = defineErrors({
  invalidPresenceStatus: badRequest(
    'Invalid status: {status}',
    'The status of a report is neither `active` nor `idle`.',
  ),
  noPresenceOfBots: badRequest('Presence is not supported for bot users.', 'The account is a bot.'),
  noPresenceData: badRequest(
    'No presence data for {user}',
    'The account has never reported its presence, or its organisation has disabled presence. `{user}` is the id or the address of the request.',
  ),
});
