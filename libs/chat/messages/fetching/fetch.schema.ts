import { z } from 'zod';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { channelErrors } from '#chat/channels';
import { longestTexts } from '#platform/contracts';
import { messageResponse } from '../message.response.js';
import { messageErrors } from '../messages.errors.js';
import { flagChangeParameters } from '../messages.schema.js';
import { narrowErrors } from '../narrows/narrow.errors.js';
import { LONGEST_OPERAND } from '../narrows/term.rules.js';
import { MAX_MESSAGES } from './anchor.rules.js';
import { fetchErrors } from './fetch.errors.js';

const MAX_TERMS = 20;

const messages = { tag: 'messages', access: 'user' } as const;

const narrow = json(z.array(z.unknown()).max(MAX_TERMS).nullable().default(null), {
  description: `A filter: objects with \`operator\`, \`operand\` and optionally \`negated\`, or pairs of two texts; all must hold. Operators are \`channel\`, \`channels\`, \`topic\`, \`dm\`, \`dm-including\`, \`sender\`, \`mentions\`, \`is\`, \`has\`, \`in\`, \`id\`, \`near\`, \`with\` and \`search\`. A text has at most ${LONGEST_OPERAND} characters.`,
});

/** Longer than any id or date. */
const LONGEST_ANCHOR = 400;
const LONGEST_DATE = 100;

const anchor = {
  anchor: text(limitedText(LONGEST_ANCHOR).optional(), {
    description:
      'A message id, `newest`, `oldest`, `first_unread`, or `date` for the first message at or after `anchor_date`.',
  }),
  anchor_date: text(limitedText(LONGEST_DATE).optional(), {
    description: 'An ISO 8601 date, for the anchor `date`; UTC without an offset.',
  }),
};

const include_anchor = json(z.boolean().default(true), {
  description:
    'Whether the range includes the anchor. It can be excluded only if `num_before` or `num_after` is 0.',
});

const size = (description: string) => json(z.int().min(0).default(0), { description });

const rangeErrors = [
  narrowErrors.badNarrow,
  narrowErrors.badNarrowCombination,
  narrowErrors.narrowTooExpensive,
  narrowErrors.invalidTerm,
  fetchErrors.missingAnchor,
  fetchErrors.missingAnchorDate,
  fetchErrors.invalidAnchor,
  fetchErrors.invalidAnchorDate,
  fetchErrors.anchorExcludedInside,
];

const found = {
  found_oldest: z.boolean().describe('Whether no message of the narrow is before the range.'),
  found_newest: z.boolean().describe('Whether no message of the narrow is after the range.'),
};

const match = {
  match_content: z
    .string()
    .describe('The content as HTML, with `<span class="highlight">` around each match.'),
  match_subject: z.string().describe('The same for the topic.'),
};

export const getMessages = endpoint({
  ...messages,
  method: 'GET',
  path: '/messages',
  summary: 'Fetch messages',
  description:
    'Returns the messages of a narrow around an anchor, with the flags of the caller. Without a channel, these are the messages that were sent to the caller; with a channel whose history the caller may read, all its messages.',
  parameters: {
    ...anchor,
    use_first_unread_anchor: json(z.boolean().default(false), {
      description: 'The same as the anchor `first_unread`, which it replaces.',
      isDeprecated: true,
    }),
    include_anchor,
    num_before: size(
      `The most messages before the anchor; at most ${MAX_MESSAGES} with \`num_after\`.`,
    ),
    num_after: size('The most messages after the anchor.'),
    narrow,
    message_ids: json(z.array(z.int()).max(MAX_MESSAGES).optional(), {
      description: `The ids of at most ${MAX_MESSAGES} messages instead of an anchor; messages that the caller cannot read are left out.`,
    }),
    client_gravatar: json(z.boolean().default(true), {
      description: 'Whether `avatar_url` is null, since the client computes it.',
    }),
    apply_markdown: json(z.boolean().default(true), {
      description: 'Whether `content` is HTML instead of Markdown.',
    }),
    allow_empty_topic_name: json(z.boolean().default(false), {
      description:
        'Whether the empty topic is returned as an empty string. Otherwise it is returned as `general chat`.',
    }),
  },
  largestAnswerBytes: 8_000_000,
  returns: z.object({
    messages: z
      .array(
        messageResponse.extend({
          avatar_url: z.string().nullable(),
          match_content: match.match_content.optional(),
          match_subject: match.match_subject.optional(),
        }),
      )
      .describe('In ascending order of their ids.'),
    anchor: z
      .number()
      .optional()
      .describe('The id of the anchor; 10000000000000000 for the newest message.'),
    found_anchor: z.boolean().describe('Whether the anchor is one of the messages.'),
    ...found,
    history_limited: z.literal(false),
  }),
  errors: [...rangeErrors, fetchErrors.tooManyMessagesRequested, fetchErrors.anchorWithMessageIds],
});

export const getMatchesNarrow = endpoint({
  ...messages,
  method: 'GET',
  path: '/messages/matches_narrow',
  summary: 'Check messages against a narrow',
  description: 'Returns those of some messages that are in a narrow.',
  parameters: {
    msg_ids: json(z.array(z.int()).max(MAX_MESSAGES), {
      description: `The ids of at most ${MAX_MESSAGES} messages; messages that the caller cannot read are left out.`,
    }),
    narrow,
  },
  largestAnswerBytes: 8_000_000,
  returns: z.object({
    messages: z
      .record(z.string(), z.object(match))
      .describe('The messages in the narrow by their ids.'),
  }),
  errors: [
    narrowErrors.badNarrow,
    narrowErrors.badNarrowCombination,
    narrowErrors.narrowTooExpensive,
    narrowErrors.invalidTerm,
    fetchErrors.tooManyMessagesRequested,
  ],
});

export const postNarrowFlags = endpoint({
  ...messages,
  method: 'POST',
  path: '/messages/flags/narrow',
  summary: 'Change a flag of the messages of a narrow',
  description:
    "Adds or removes one of the caller's own flags on the messages of a narrow around an anchor.",
  parameters: {
    ...anchor,
    include_anchor,
    num_before: size(
      `The most messages before the anchor; more than ${MAX_MESSAGES} count as that.`,
    ),
    num_after: size('The same for messages after the anchor.'),
    narrow,
    ...flagChangeParameters,
  },
  returns: z.object({
    processed_count: z.int().describe('The number of messages in the range.'),
    updated_count: z.int().describe('The number of messages that have changed.'),
    first_processed_id: z.int().nullable(),
    last_processed_id: z.int().nullable(),
    ...found,
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .describe(
        'The channels whose messages were not marked as unread, since the caller is not subscribed to them.',
      ),
  }),
  errors: [
    ...rangeErrors,
    messageErrors.invalidFlag,
    messageErrors.flagNotEditable,
    messageErrors.invalidFlagOperation,
  ],
});

export const postMarkAllAsRead = endpoint({
  ...messages,
  method: 'POST',
  path: '/mark_all_as_read',
  summary: 'Mark all messages as read',
  description: 'Marks all unread messages of the caller as read.',
  isDeprecated: true,
  parameters: {},
  returns: z.object({
    complete: z
      .boolean()
      .describe('False if unread messages were left after 50 seconds: repeat the request.'),
  }),
  errors: [],
});

export const postMarkTopicAsRead = endpoint({
  ...messages,
  method: 'POST',
  path: '/mark_topic_as_read',
  summary: 'Mark all messages of a topic as read',
  description: "Marks the caller's unread messages of a topic of a channel as read.",
  isDeprecated: true,
  parameters: {
    stream_id: identifier('The id of the channel.'),
    topic_name: text(limitedText(longestTexts.topic), {
      description: 'The topic, without regard to case.',
    }),
  },
  returns: z.object({}),
  errors: [channelErrors.invalidChannelId, fetchErrors.noSuchTopic],
});
