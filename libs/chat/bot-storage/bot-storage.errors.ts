import { badRequest, defineErrors } from '#platform/contracts';

/** The storage of bots. */
export const botStorageErrors = defineErrors({
  botsOnly: badRequest(
    'This endpoint only accepts bot requests.',
    'The account is a person; only bots have a storage.',
  ),
  keyDoesNotExist: badRequest('Key does not exist.', 'The storage of the caller has no such key.'),
  storageFull: badRequest(
    'Cannot set state. Request would require {size} bytes storage. The current storage limit is {limit}.',
    'Keys and values of the caller would have too many characters together.',
  ),
});
