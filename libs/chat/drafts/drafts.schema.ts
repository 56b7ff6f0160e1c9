import { z } from 'zod';
import { channelErrors } from '#chat/channels';
import { messageTopic } from '#chat/channels/endpoints';
import { messageErrors } from '#chat/messages';
import { messageContent } from '#chat/messages/endpoints';
import { limitErrors } from '#platform/contracts';
import { endpoint, identifier, json } from '#platform/http';
import { draftKinds } from './draft.repository.js';
import { draftErrors } from './drafts.errors.js';
import { draftResponse } from './drafts.response.js';

/** Of one request. */
const MAX_SENT = 100;
const MAX_RECIPIENTS = 1000;
/** The last second of the year 9999. */
const LATEST = 253_402_300_799;

const nothing = z.object({});
const common = { tag: 'drafts', access: 'user' } as const;

const draft = z.object({
  type: z.enum(draftKinds),
  to: z.array(z.int()).max(MAX_RECIPIENTS),
  topic: messageTopic,
  content: messageContent.refine((text) => text.trim() !== '', {
    error: 'cannot be blank',
  }),
  timestamp: z.number().min(0).max(LATEST).optional(),
});

const destinationErrors = [
  draftErrors.oneChannelForDraft,
  channelErrors.invalidChannelId,
  messageErrors.invalidRecipientId,
  messageErrors.recipientDeactivated,
];
const draftId = identifier('The id of a draft of the caller.');

export const listDrafts = endpoint({
  ...common,
  method: 'GET',
  path: '/drafts',
  summary: 'List the drafts',
  description: "Returns the caller's drafts, the last edited one first.",
  parameters: {},
  largestAnswerBytes: 4_100_000,
  takesAnswerSlot: true,
  returns: z.object({ count: z.int(), drafts: z.array(draftResponse) }),
  errors: [],
});

export const createDrafts = endpoint({
  ...common,
  method: 'POST',
  path: '/drafts',
  summary: 'Save drafts',
  description: 'Saves messages that the caller has not sent yet.',
  parameters: {
    drafts: json(z.array(draft).max(MAX_SENT).default([]), {
      description:
        'At most 100 drafts: `type` (`stream`, `private`, or empty without a destination), `to` (the id of the channel in a list, or the ids of the recipients), `topic` and `content` in Markdown, shortened as in `POST /messages`, `timestamp` (the UNIX seconds of the last edit; now if missing).',
    }),
  },
  returns: z.object({ ids: z.array(z.int()).describe('In the order of the drafts.') }),
  errors: [...destinationErrors, limitErrors.accountLimitReached],
});

export const editDraft = endpoint({
  ...common,
  method: 'PATCH',
  path: '/drafts/{draft_id}',
  summary: 'Edit a draft',
  description: 'Replaces a draft of the caller.',
  parameters: {
    draft_id: draftId,
    draft: json(draft, { description: 'The new draft, with the members of `POST /drafts`.' }),
  },
  returns: nothing,
  errors: [draftErrors.draftDoesNotExist, ...destinationErrors, limitErrors.accountLimitReached],
});

export const deleteDraft = endpoint({
  ...common,
  method: 'DELETE',
  path: '/drafts/{draft_id}',
  summary: 'Delete a draft',
  description: 'Deletes a draft of the caller.',
  parameters: { draft_id: draftId },
  returns: nothing,
  errors: [draftErrors.draftDoesNotExist],
});

/** Maps a draft of a request. */
export const toGivenDraft = ({ type: kind, timestamp, ...given }: z.infer<typeof draft>) => ({
  ...given,
  kind,
  editedAt: timestamp === undefined ? null : new Date(Math.floor(timestamp) * 1000),
});
