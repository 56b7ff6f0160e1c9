import { z } from 'zod';
import { endpoint, json, limitedText, text } from '#platform/http';
import { clientCapabilities } from '#events/declarations';
import { LONGEST_TERM } from './narrow.rules.js';
import { registerErrors } from './register.errors.js';
import { idleSecondsOf, refuseIdleTimeout } from './idle-timeout.rules.js';
import { subscribersChoiceOf } from './include-subscribers.rules.js';

const LONGEST_TYPE = 60;
const MAX_TYPES = 200;
const MAX_TERMS = 20;
const LONGEST_CHOICE = 20;
/** Every number above the longest lifetime is valid, also one that no number of JavaScript can represent. */
const LONGEST_NUMBER = 1000;
/** About two years, the longest time for which presence is kept. */
const MAX_HISTORY_DAYS = 800;

const typeList = z.array(limitedText(LONGEST_TYPE)).max(MAX_TYPES).nullable().default(null);
const capabilities = z.object(
  Object.fromEntries(clientCapabilities.map((name) => [name, z.boolean().default(false)] as const)),
);
const idleTimeout = text(
  limitedText(LONGEST_NUMBER)
    .refine((given) => idleSecondsOf(given) !== null)
    .optional(),
  {
    description:
      'The lifetime of the queue without a request for its events, in seconds: 1 to 604800, 600 by default. More counts as 604800; `mobile` is 43200.',
    refusal: refuseIdleTimeout,
  },
);

export const register = endpoint({
  tag: 'events',
  access: 'user',
  method: 'POST',
  path: '/register',
  summary: 'Register an event queue',
  description:
    'Creates an event queue and returns the state from which its events continue: the state with the events applied is always the current state.',
  parameters: {
    event_types: json(typeList, {
      description:
        'The types of the events of the queue; without it, all. Unknown types are ignored.',
    }),
    fetch_event_types: json(typeList, {
      description: 'The parts of the state to return; without it, those of `event_types`.',
    }),
    apply_markdown: json(z.boolean().default(false), {
      description: 'Whether the content of messages is HTML instead of Markdown.',
    }),
    client_gravatar: json(z.boolean().default(true), {
      description: 'Whether `avatar_url` is null for pictures that the client computes.',
    }),
    slim_presence: json(z.boolean().default(false), {
      description: 'Whether presence is listed by user id instead of by email address.',
    }),
    presence_history_limit_days: json(z.int().min(0).max(MAX_HISTORY_DAYS).default(14), {
      description: 'The days for which `presences` goes back; 0 returns nobody.',
    }),
    all_public_streams: json(z.boolean().optional(), {
      description:
        'Whether messages of all public channels are events of the queue, not only those of subscribed channels.',
    }),
    include_subscribers: text(
      limitedText(LONGEST_CHOICE)
        .refine((given) => subscribersChoiceOf(given) !== null)
        .default('false'),
      {
        description:
          'Whether the subscription lists contain subscribers: `true`, `false` or `partial`.',
      },
    ),
    narrow: json(z.array(z.unknown()).max(MAX_TERMS).nullable().default(null), {
      description: `A filter for events of the type \`message\`: pairs of an operator and an operand of at most ${LONGEST_TERM} characters. Operators are \`channel\`, \`topic\`, \`sender\` and \`is\`. Negated terms are refused.`,
    }),
    client_capabilities: json(capabilities.prefault({}), {
      description:
        'What the client can do; missing members are false. Unknown members are ignored.',
    }),
    idle_queue_timeout: idleTimeout,
    queue_lifespan_secs: { ...idleTimeout, isDeprecated: true },
  },
  largestAnswerBytes: 25_000_000,
  takesAnswerSlot: true,
  returns: z.looseObject({
    queue_id: z.string(),
    last_event_id: z.int().describe('The value of `last_event_id` for the first `GET /events`.'),
    idle_queue_timeout_secs: z.int(),
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    zulip_feature_level: z.int(),
  }),
  errors: [
    registerErrors.idleTimeoutTooSmall,
    registerErrors.invalidIdleTimeout,
    registerErrors.allMessagesNotAuthorized,
    registerErrors.operatorNotSupported,
    registerErrors.operandNotSupported,
    registerErrors.invalidNarrow,
  ],
});
