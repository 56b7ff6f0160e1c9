import { badRequest, defineErrors } from '#platform/contracts';

/** Linkifiers. */
export const linkifierErrors = defineErrors({
  badPattern: badRequest(
    'Bad regular expression: {reason}',
    'The pattern is not in the syntax of RE2, matches the empty text, or is too large.',
  ),
  invalidTemplate: badRequest(
    'Invalid URL template.',
    'The URL template is malformed or not a web address.',
  ),
  groupNotInPattern: badRequest(
    "Group '{name}' in URL template is not present in linkifier pattern.",
    'The URL template has a variable that is not a named group of the pattern.',
  ),
  groupNotInTemplate: badRequest(
    "Group '{name}' in linkifier pattern is not present in URL template.",
    'The pattern has a named group that is not a variable of the URL template.',
  ),
  noExampleInput: badRequest(
    'Example input required for reverse template.',
    'A reverse template comes without an example.',
  ),
  exampleDoesNotMatch: badRequest(
    'Example input does not match linkifier pattern.',
    'The pattern does not match the whole example.',
  ),
  reverseDoesNotMatch: badRequest(
    'Reverse template does not produce the example input.',
    'The reverse template with the groups of the example is another text than the example.',
  ),
  linkifierExists: badRequest(
    'Realm filter with this Realm and Pattern already exists.',
    'The organisation already has a linkifier with this pattern.',
  ),
  linkifierNotFound: badRequest(
    'Linkifier not found.',
    'The organisation has no linkifier with this id.',
  ),
  invalidLinkifierOrder: badRequest(
    'Invalid order mapping.',
    'The list does not have the id of each linkifier of the organisation exactly once.',
  ),
});
