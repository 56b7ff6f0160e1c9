import { badRequest, defineErrors } from '#platform/contracts';

/** The storage of bots. */
export const botStorageErrors = defineErrors({
  keyDoesNotExist: badRequest('Key does not exist.', 'The storage of the caller has no such key.'),
  storageFull: badRequest(
    'Cannot set state. Request would require {size} bytes storage. The current storage limit is {limit}.',
    'Keys and values of the caller would have too many characters together.',
  ),
});
