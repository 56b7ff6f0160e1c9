import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Status of a user. */
export const userStatusErrors = {
  noNewStatus: badRequest('Client did not pass any new values.'),
  statusEmojiWithoutName: badRequest(
    'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
  ),
} as const satisfies Record<string, CataloguedError>;
