import { channelErrors } from './cases/channels.errors.js';
import { emojiErrors } from './cases/emoji.errors.js';
import { limitErrors } from './cases/limits.errors.js';
import { messageErrors } from './cases/messages.errors.js';
import { moderationErrors } from './cases/moderation.errors.js';
import { mutedUserErrors } from './cases/muted-users.errors.js';
import { parameterErrors } from './cases/parameters.errors.js';
import { playgroundErrors } from './cases/playgrounds.errors.js';
import { presenceErrors } from './cases/presence.errors.js';
import { profileFieldErrors } from './cases/profile-fields.errors.js';
import { pushErrors } from './cases/push.errors.js';
import { requestErrors } from './cases/request.errors.js';
import { roleErrors } from './cases/roles.errors.js';
import { savedSnippetErrors } from './cases/saved-snippets.errors.js';
import { signInErrors } from './cases/sign-in.errors.js';
import { uploadErrors } from './cases/uploads.errors.js';
import { userGroupErrors } from './cases/user-groups.errors.js';
import { userStatusErrors } from './cases/user-status.errors.js';
import { userErrors } from './cases/users.errors.js';
import { videoCallErrors } from './cases/video-calls.errors.js';
import type { CataloguedError } from './catalogued-error.js';

export type { CataloguedError } from './catalogued-error.js';

/**
 * Every error of the API: the one place that joins a case to its code, status and text.
 * docs/errors.md is written for people from the same list, and a test compares the two.
 */
export const errorCatalogue = {
  ...requestErrors,
  ...parameterErrors,
  ...limitErrors,
  ...signInErrors,
  ...roleErrors,
  ...userErrors,
  ...userStatusErrors,
  ...emojiErrors,
  ...profileFieldErrors,
  ...userGroupErrors,
  ...channelErrors,
  ...messageErrors,
  ...moderationErrors,
  ...mutedUserErrors,
  ...savedSnippetErrors,
  ...playgroundErrors,
  ...uploadErrors,
  ...videoCallErrors,
  ...presenceErrors,
  ...pushErrors,
} as const satisfies Record<string, CataloguedError>;

export type ErrorName = keyof typeof errorCatalogue;
