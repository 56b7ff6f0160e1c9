import { botStorageErrors } from '#chat/bot-storage';
import { channelErrors, channelFolderErrors } from '#chat/channels';
import { draftErrors } from '#chat/drafts';
import { emojiErrors } from '#chat/emoji';
import { linkifierErrors } from '#chat/linkifiers';
import { fetchErrors, messageErrors, narrowErrors } from '#chat/messages';
import { moderationErrors } from '#chat/moderation';
import { mutedUserErrors } from '#chat/muting';
import { playgroundErrors } from '#chat/playgrounds';
import { reactionErrors } from '#chat/reactions';
import { savedSnippetErrors } from '#chat/saved-snippets';
import { scheduledMessageErrors } from '#chat/scheduled-messages';
import { typingErrors } from '#chat/typing';
import { uploadErrors } from '#chat/uploads';
import { userTopicErrors } from '#chat/user-topics';
import { userStatusErrors } from '#chat/user-status';
import { videoCallErrors } from '#chat/video-calls';
import { userGroupErrors } from '#directory/groups';
import { profileFieldErrors } from '#directory/profile-fields';
import { roleErrors } from '#directory/roles';
import { userErrors } from '#directory/users';
import { queueErrors } from '#events/queues';
import { registerErrors } from '#events/register';
import {
  type CataloguedError,
  limitErrors,
  parameterErrors,
  requestErrors,
  signInErrors,
} from '#platform/contracts';
import { presenceErrors } from '#presence/reading';
import { clientDeviceErrors, pushErrors, webPushErrors } from '#push/devices';
import { tenantErrors } from '#push/tenants';
import { relayErrors } from '#push/relay';

/** The errors of the API by subject, in the order of docs/errors.md. Each capability declares its errors. */
export const errorGroups: Readonly<Record<string, Readonly<Record<string, CataloguedError>>>> = {
  request: requestErrors,
  parameters: parameterErrors,
  limits: limitErrors,
  'sign-in': { ...signInErrors, ...roleErrors },
  accounts: {
    ...userErrors,
    ...userStatusErrors,
    ...emojiErrors,
    ...profileFieldErrors,
    ...userGroupErrors,
  },
  channels: { ...channelErrors, ...channelFolderErrors, ...userTopicErrors },
  messages: {
    ...messageErrors,
    ...fetchErrors,
    ...narrowErrors,
    ...reactionErrors,
    ...typingErrors,
    ...moderationErrors,
    ...mutedUserErrors,
  },
  events: { ...registerErrors, ...queueErrors },
  tools: {
    ...botStorageErrors,
    ...draftErrors,
    ...scheduledMessageErrors,
    ...savedSnippetErrors,
    ...linkifierErrors,
    ...playgroundErrors,
  },
  files: { ...uploadErrors, ...videoCallErrors },
  presence: presenceErrors,
  push: { ...pushErrors, ...clientDeviceErrors, ...webPushErrors },
  'push-service': tenantErrors,
  'push-relay': relayErrors,
};
