import { z } from 'zod';
import { positive } from '#test/realm-state-schema';
import {
  account,
  channel,
  subscription,
  userStatus,
} from '../integration/registered-state.fixture.js';

/**
 * What the mobile app parses: members that it demands, with their types. With another answer it shows an error; with
 * another event it registers again.
 */

const ids = z.array(positive);
const policy = z.int().min(0).max(3);
const reactionType = z.enum(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji']);

const reaction = z.object({
  emoji_name: z.string().min(1),
  emoji_code: z.string().min(1),
  reaction_type: reactionType,
  user_id: positive,
});

const submessage = z.object({
  id: positive,
  message_id: positive,
  sender_id: positive,
  msg_type: z.literal('widget'),
  content: z.string(),
});

const messageBase = z.object({
  id: positive,
  client: z.string(),
  content: z.string(),
  content_type: z.literal('text/html'),
  is_me_message: z.boolean(),
  last_edit_timestamp: positive.optional(),
  last_moved_timestamp: positive.optional(),
  reactions: z.array(reaction),
  submessages: z.array(submessage),
  recipient_id: positive,
  sender_id: positive,
  sender_email: z.string().min(1),
  sender_full_name: z.string().min(1),
  sender_realm_str: z.string(),
  avatar_url: z.string().nullable(),
  timestamp: positive,
  subject: z.string(),
  match_content: z.string().optional(),
  match_subject: z.string().optional(),
});

const person = z.object({
  id: positive,
  email: z.string().min(1),
  full_name: z.string().min(1),
  is_mirror_dummy: z.boolean(),
});

const toChannel = messageBase.extend({
  type: z.literal('stream'),
  stream_id: positive,
  display_recipient: z.string().min(1),
});
const direct = messageBase.extend({
  type: z.literal('private'),
  display_recipient: z.array(person).min(1),
});
const flags = z.array(
  z.enum([
    'read',
    'starred',
    'collapsed',
    'mentioned',
    'stream_wildcard_mentioned',
    'topic_wildcard_mentioned',
    'wildcard_mentioned',
    'has_alert_word',
    'historical',
  ]),
);
/** With its flags, as answers have it; beside a message of an event. */
const message = z.discriminatedUnion('type', [
  toChannel.extend({ flags }),
  direct.extend({ flags }),
]);
const messageOfEvent = z.discriminatedUnion('type', [toChannel.strip(), direct.strip()]);

const success = z.object({ result: z.literal('success'), msg: z.literal('') });
const oneId = success.extend({ id: positive });

const presences = z.record(
  z.string().regex(/^\d+$/),
  z.object({ active_timestamp: positive, idle_timestamp: positive }),
);

/** The answers of the endpoints that the app calls, by their name in the day. */
export const answers = {
  nothing: success,
  id: oneId,
  serverSettings: success.extend({
    zulip_version: z.string().min(1),
    zulip_feature_level: z.int().min(371),
    zulip_merge_base: z.string(),
    push_notifications_enabled: z.boolean(),
    is_incompatible: z.literal(false),
    email_auth_enabled: z.boolean(),
    require_email_format_usernames: z.boolean(),
    realm_uri: z.url(),
    realm_url: z.url(),
    realm_name: z.string().min(1),
    realm_icon: z.string().min(1),
    realm_description: z.string(),
    realm_web_public_access_enabled: z.boolean(),
    authentication_methods: z.record(z.string(), z.boolean()).refine((one) => 'ldap' in one),
    external_authentication_methods: z.array(
      z.object({
        name: z.string(),
        display_name: z.string(),
        display_icon: z.string().nullable(),
        login_url: z.string(),
        signup_url: z.string(),
      }),
    ),
  }),
  apiKey: success.extend({
    api_key: z.string().regex(/^\w{32}$/),
    email: z.string().min(1),
    user_id: positive,
  }),
  newKey: success.extend({ api_key: z.string().regex(/^\w{32}$/) }),
  messages: success.extend({
    // Above the integers that JavaScript holds exactly, for the newest message.
    anchor: z.number(),
    found_anchor: z.boolean(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    history_limited: z.literal(false),
    messages: z.array(message),
  }),
  message: success.extend({ message, raw_content: z.string() }),
  flags: success.extend({ messages: ids }),
  flagsOfNarrow: success.extend({
    processed_count: z.int(),
    updated_count: z.int(),
    first_processed_id: positive.nullable(),
    last_processed_id: positive.nullable(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
  }),
  presence: success.extend({ presences, server_timestamp: z.number() }),
  topics: success.extend({
    topics: z.array(z.object({ name: z.string(), max_id: positive })),
  }),
  readers: success.extend({ user_ids: ids }),
  upload: success.extend({ url: z.string().startsWith('/user_uploads/') }),
  temporaryAddress: success.extend({ url: z.string().startsWith('/') }),
  subscribed: success.extend({
    subscribed: z.record(z.string(), z.array(z.string())),
    already_subscribed: z.record(z.string(), z.array(z.string())),
  }),
  snippet: success.extend({ saved_snippet_id: positive }),
};

const updateOfMessage = z.object({
  user_id: positive.nullable(),
  rendering_only: z.boolean(),
  message_id: positive,
  message_ids: ids.min(1),
  flags,
  edit_timestamp: positive,
  orig_content: z.string().optional(),
  orig_rendered_content: z.string().optional(),
  content: z.string().optional(),
  rendered_content: z.string().optional(),
  is_me_message: z.boolean().optional(),
  stream_id: positive.optional(),
  new_stream_id: positive.optional(),
  propagate_mode: z.enum(['change_one', 'change_later', 'change_all']).optional(),
  orig_subject: z.string().optional(),
  subject: z.string().optional(),
});

const detailsOfUnread = z.record(
  z.string(),
  z.object({
    type: z.enum(['private', 'stream']),
    mentioned: z.boolean().optional(),
    user_ids: z.array(positive).optional(),
    stream_id: positive.optional(),
    topic: z.string().optional(),
  }),
);

const attachment = z.object({
  id: positive,
  name: z.string(),
  path_id: z.string(),
  size: z.int(),
  create_time: z.int(),
  messages: z.array(z.unknown()).optional(),
});

/** The events, by type and operation. */
export const events = {
  heartbeat: z.object({}),
  message: z.object({ message: messageOfEvent, flags, local_message_id: z.string().optional() }),
  // With a mode there must be a new topic or a new channel.
  update_message: updateOfMessage.refine(
    ({ propagate_mode: mode, subject, new_stream_id: channelId }) =>
      (mode === undefined) === (subject === undefined && channelId === undefined),
  ),
  delete_message: z.object({
    message_ids: ids.min(1),
    message_type: z.enum(['stream', 'private']),
    stream_id: positive.optional(),
    topic: z.string().optional(),
  }),
  'reaction add': reaction.extend({ message_id: positive }),
  'reaction remove': reaction.extend({ message_id: positive }),
  submessage: z.object({
    message_id: positive,
    submessage_id: positive,
    sender_id: positive,
    msg_type: z.literal('widget'),
    content: z.string(),
  }),
  'update_message_flags add': z.object({
    flag: flags.element,
    messages: ids,
    all: z.boolean(),
  }),
  'update_message_flags remove': z.object({
    flag: flags.element,
    messages: ids.min(1),
    message_details: detailsOfUnread.optional(),
  }),
  'typing start': z.object({
    message_type: z.enum(['direct', 'stream']),
    sender: z.object({ user_id: positive }),
    recipients: z.array(z.object({ user_id: positive })).optional(),
    stream_id: positive.optional(),
    topic: z.string().optional(),
  }),
  // The old form, since the app does not ask for the new one. It ignores the event.
  presence: z.object({
    user_id: positive,
    server_timestamp: z.number(),
    presence: z.record(z.string(), z.object({ status: z.string(), timestamp: positive })),
  }),
  user_status: userStatus.partial().extend({
    user_id: positive,
    reaction_type: z.union([reactionType, z.literal('')]).optional(),
  }),
  user_topic: z.object({
    stream_id: positive,
    topic_name: z.string(),
    visibility_policy: policy,
    last_updated: positive,
  }),
  // An old form of the one above, which the app ignores.
  muted_topics: z.object({ muted_topics: z.array(z.unknown()) }),
  muted_users: z.object({
    muted_users: z.array(z.object({ id: positive, timestamp: positive })),
  }),
  'user_settings update': z.object({
    property: z.string(),
    value: z.union([z.boolean(), z.number(), z.string()]),
  }),
  'saved_snippets add': z.object({
    saved_snippet: z.object({
      id: positive,
      title: z.string(),
      content: z.string(),
      date_created: positive,
    }),
  }),
  'subscription add': z.object({ subscriptions: z.array(subscription).min(1) }),
  'subscription remove': z.object({ subscriptions: z.array(z.object({ stream_id: positive })) }),
  // The value is never null.
  'subscription update': z.object({
    stream_id: positive,
    property: z.string(),
    value: z.union([z.boolean(), z.string(), z.number()]),
  }),
  'subscription peer_add': z.object({ stream_ids: ids, user_ids: ids }),
  'subscription peer_remove': z.object({ stream_ids: ids, user_ids: ids }),
  'stream create': z.object({ streams: z.array(channel).min(1) }),
  'stream update': z.object({ stream_id: positive, property: z.string(), value: z.unknown() }),
  'realm_user add': z.object({ person: account }),
  'realm_user update': z.object({ person: z.object({ user_id: positive }) }),
  'attachment add': z.object({ attachment, upload_space_used: z.int() }),
  'attachment update': z.object({ attachment, upload_space_used: z.int() }),
};

export type EventName = keyof typeof events;
