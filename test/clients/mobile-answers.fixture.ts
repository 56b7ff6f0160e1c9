import { z } from 'zod';
import { positive } from '#test/realm-state-schema';

/** What the mobile app parses of answers: members that it demands, with their types. With another answer it shows an error. */

const ids = z.array(positive);

export const reaction = z.object({
  emoji_name: z.string().min(1),
  emoji_code: z.string().min(1),
  reaction_type: z.enum(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji']),
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
export const flags = z.array(
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
    'hide_link_previews',
  ]),
);
/** With its flags, as answers have it; beside a message of an event. */
const message = z.discriminatedUnion('type', [
  toChannel.extend({ flags }),
  direct.extend({ flags }),
]);
export const messageOfEvent = z.discriminatedUnion('type', [toChannel.strip(), direct.strip()]);

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
