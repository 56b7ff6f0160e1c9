import { badRequest, defineErrors } from '#platform/contracts';

/** The storage of bots. */
export const botStorageErrors = defineErrors({
  botsOnly: badRequest(
    'This endpoint only accepts bot requests.',
    'The account is a person; only bots have a storage.',
  ),
  keyDoesNotExist: badRequest('Key does not exist.', 'The storage of the caller has no such key.'),
  storageTooLarge: badRequest(
    'The storage has more than {limit} bytes. Give the keys to read.',
    'A release with a higher limit has stored more than one answer may have.',
  ),
  storageFull: badRequest(
    'Cannot set state. Request would require {size} bytes storage. The current storage limit is {limit}.',
    'Keys and values of the caller would have too many bytes of JSON together.',
  ),
});
