import { badRequest, defineErrors } from '#platform/contracts';

/** Status of a user. */
export const userStatusErrors = defineErrors({
  noNewStatus: badRequest(
    'Client did not pass any new values.',
    'The request contains neither a text nor an emoji nor, for the own status, `away` or `expires_at`.',
  ),
  statusEndInPast: badRequest(
    'expires_at has passed already.',
    'The end of the status is not in the future.',
  ),
  pauseWithoutEnd: badRequest(
    'pause_push needs an expires_at that is at most 30 days ahead.',
    'A pause of notifications ends with the status.',
  ),
  statusEmojiWithoutName: badRequest(
    'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    'The request contains the code or type of an emoji without its name.',
  ),
});
