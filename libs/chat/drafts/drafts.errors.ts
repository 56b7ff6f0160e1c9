import { badRequest, defineErrors } from '#platform/contracts';

/** Drafts. */
export const draftErrors = defineErrors({
  draftDoesNotExist: {
    code: 'BAD_REQUEST',
    status: 404,
    msg: 'Draft does not exist',
    when: 'The caller has no draft with this id. The draft of another account gets the same error.',
  },
  oneChannelForDraft: badRequest(
    'Must specify exactly 1 channel ID for channel messages',
    'The draft of a message to a channel has no channel, or several.',
  ),
});
