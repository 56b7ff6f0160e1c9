import type { ReceivedEvent } from '#test/event-client';
import { groupValue, positive } from '#test/realm-state-schema';
import { z } from 'zod';
import {
  account,
  channel,
  customEmoji,
  group,
  profileField,
  subscription,
  userStatus,
} from '../integration/registered-state.fixture.js';
import { flags, messageOfEvent, reaction } from './mobile-answers.fixture.js';

/**
 * What the mobile app parses of events: members that it demands, with their types. With another event it registers
 * again. It ignores events of other types and operations.
 */

const ids = z.array(positive);
const nothing = z.object({});
/** The app takes one that it does not know for `unknown`. */
const flag = z.string();

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

/** The app demands a move with its mode and its old place, or no move at all. */
function isCoherentMove(event: z.infer<typeof updateOfMessage>): boolean {
  const { stream_id: from, new_stream_id: to, orig_subject: before, subject: after } = event;
  const isMove = (to ?? from) !== from || (after ?? before) !== before;
  if (!isMove) return event.propagate_mode === undefined;
  return event.propagate_mode !== undefined && from !== undefined && before !== undefined;
}

const details = z.record(
  z.string().regex(/^\d+$/),
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('private'), mentioned: z.boolean().optional(), user_ids: ids }),
    z.object({
      type: z.literal('stream'),
      mentioned: z.boolean().optional(),
      stream_id: positive,
      topic: z.string(),
    }),
  ]),
);

const typing = z.union([
  z.object({
    message_type: z.literal('direct'),
    sender: z.object({ user_id: positive }),
    recipients: z.array(z.object({ user_id: positive })).min(1),
  }),
  z.object({
    message_type: z.literal('stream'),
    sender: z.object({ user_id: positive }),
    stream_id: positive,
    topic: z.string(),
  }),
]);

const snippet = z.object({
  id: positive,
  title: z.string(),
  content: z.string(),
  date_created: positive,
});

const folder = z.object({
  id: positive,
  name: z.string(),
  order: z.int().nullable(),
  date_created: positive.nullable(),
  creator_id: positive.nullable(),
  description: z.string(),
  rendered_description: z.string(),
  is_archived: z.boolean(),
});

const changedPerson = z.object({
  user_id: positive,
  full_name: z.string().optional(),
  avatar_url: z.string().nullish(),
  avatar_version: z.int().optional(),
  timezone: z.string().optional(),
  bot_owner_id: positive.nullish(),
  role: z.int().optional(),
  delivery_email: z.string().nullish(),
  custom_profile_field: z
    .object({ id: positive, value: z.string().nullable(), rendered_value: z.string().nullish() })
    .optional(),
  new_email: z.string().optional(),
  is_active: z.boolean().optional(),
});

/** The values of properties of which the app demands a type, by property. It ignores others. */
const channelValues: Readonly<Record<string, z.ZodType>> = {
  name: z.string().min(1),
  is_archived: z.boolean(),
  description: z.string(),
  first_message_id: positive.nullable(),
  invite_only: z.boolean(),
  message_retention_days: z.int().nullable(),
  topics_policy: z.string(),
  stream_post_policy: z.int().min(1).max(4),
  folder_id: positive.nullable(),
  can_add_subscribers_group: groupValue,
  can_delete_any_message_group: groupValue,
  can_delete_own_message_group: groupValue,
  can_send_message_group: groupValue,
  can_subscribe_group: groupValue,
  is_recently_active: z.boolean(),
  stream_weekly_traffic: z.int().nullable(),
};
const isOn = z.boolean();
const subscriptionValues: Readonly<Record<string, z.ZodType>> = {
  color: z.string().regex(/^#[0-9a-f]{6}$/),
  is_muted: isOn,
  pin_to_top: isOn,
  desktop_notifications: isOn,
  audible_notifications: isOn,
  push_notifications: isOn,
  email_notifications: isOn,
  wildcard_mentions_notify: isOn,
};
const settingValues: Readonly<Record<string, z.ZodType>> = {
  twenty_four_hour_time: z.boolean().nullable(),
  starred_message_counts: isOn,
  display_emoji_reaction_users: isOn,
  emojiset: z.string(),
  web_inbox_show_channel_folders: isOn,
  presence_enabled: isOn,
};

const isValueOf =
  (values: Readonly<Record<string, z.ZodType>>) =>
  ({ property, value }: { readonly property: string; readonly value?: unknown }): boolean =>
    values[property]?.safeParse(value).success ?? true;

const change = z.object({ property: z.string(), value: z.unknown() });
const peers = z.object({ stream_ids: ids, user_ids: ids });
const members = z.object({ group_id: positive, user_ids: ids });
const subgroups = z.object({ group_id: positive, direct_subgroup_ids: ids });
const device = z.object({ device_id: positive });

/** The events, by type and operation. */
export const events = {
  heartbeat: nothing,
  message: z.object({ message: messageOfEvent, flags, local_message_id: z.string().optional() }),
  update_message: updateOfMessage.refine(isCoherentMove),
  delete_message: z.union([
    z.object({ message_ids: ids.min(1), message_type: z.literal('private') }),
    z.object({
      message_ids: ids.min(1),
      message_type: z.literal('stream'),
      stream_id: positive,
      topic: z.string(),
    }),
  ]),
  'reaction add': reaction.extend({ message_id: positive }),
  'reaction remove': reaction.extend({ message_id: positive }),
  submessage: z.object({
    message_id: positive,
    submessage_id: positive,
    sender_id: positive,
    msg_type: z.literal('widget'),
    content: z.string(),
  }),
  'update_message_flags add': z.object({ flag, messages: ids, all: z.boolean() }),
  'update_message_flags remove': z
    .object({ flag, messages: ids.min(1), message_details: details.optional() })
    .refine((event) => event.flag !== 'read' || event.message_details !== undefined),
  'typing start': typing,
  'typing stop': typing,
  // The old form, since the app does not ask for the new one.
  presence: z.object({
    user_id: positive,
    server_timestamp: z.number(),
    presence: z.record(
      z.string(),
      z.object({
        client: z.string(),
        status: z.enum(['active', 'idle']),
        timestamp: positive,
        pushable: z.boolean(),
      }),
    ),
  }),
  user_status: userStatus.partial().extend({
    user_id: positive,
    reaction_type: z.union([reaction.shape.reaction_type, z.literal('')]).optional(),
    away: z.boolean().optional(),
  }),
  user_topic: z.object({
    stream_id: positive,
    topic_name: z.string(),
    visibility_policy: z.int().min(0).max(3),
    last_updated: positive,
  }),
  muted_users: z.object({ muted_users: z.array(z.object({ id: positive })) }),
  alert_words: z.object({ alert_words: z.array(z.string()) }),
  'user_settings update': change.refine(isValueOf(settingValues)),
  'saved_snippets add': z.object({ saved_snippet: snippet }),
  'saved_snippets update': z.object({ saved_snippet: snippet }),
  'saved_snippets remove': z.object({ saved_snippet_id: positive }),
  'subscription add': z.object({ subscriptions: z.array(subscription).min(1) }),
  'subscription remove': z.object({ subscriptions: z.array(z.object({ stream_id: positive })) }),
  'subscription update': change
    .extend({ stream_id: positive })
    .refine(isValueOf(subscriptionValues)),
  'subscription peer_add': peers,
  'subscription peer_remove': peers,
  'stream create': z.object({ streams: z.array(channel).min(1) }),
  'stream delete': z.object({ stream_ids: ids.min(1) }),
  'stream update': change
    .extend({
      stream_id: positive,
      name: z.string().min(1),
      rendered_description: z.string().optional(),
      history_public_to_subscribers: z.boolean().optional(),
      is_web_public: z.boolean().optional(),
    })
    .refine(isValueOf(channelValues)),
  'channel_folder add': z.object({ channel_folder: folder }),
  'channel_folder update': z.object({ channel_folder_id: positive, data: folder.partial() }),
  'channel_folder reorder': z.object({ order: ids }),
  'realm_emoji add': z.object({ emoji: customEmoji }),
  'realm_emoji update_one': z.object({
    emoji_id: z.string(),
    data: z.object({ deactivated: z.boolean().optional() }),
  }),
  custom_profile_fields: z.object({ fields: z.array(profileField) }),
  'user_group add': z.object({ group }),
  'user_group update': z.object({ group_id: positive, data: group.partial() }),
  'user_group remove': z.object({ group_id: positive }),
  'user_group add_members': members,
  'user_group remove_members': members,
  'user_group add_subgroups': subgroups,
  'user_group remove_subgroups': subgroups,
  'realm_user add': z.object({ person: account.extend({ is_active: z.boolean() }) }),
  'realm_user update': z.object({ person: changedPerson }),
  'realm_user remove': z.object({ person: z.object({ user_id: positive }) }),
  'device add': device,
  'device remove': device,
  'device update': device.extend({
    push_key_id: z.int().min(0).nullish(),
    push_token_id: z.string().nullish(),
    pending_push_token_id: z.string().nullish(),
    push_token_last_updated_timestamp: z.int().nullish(),
    push_registration_error_code: z.string().nullish(),
  }),
  // The app ignores these.
  muted_topics: nothing,
  'attachment add': nothing,
  'attachment update': nothing,
};

/** The type of an event, with its operation if it has one. */
export type EventName = keyof typeof events;

/** The name of an event: its type, with its operation if it has one. */
export const nameOf = ({ type, op }: ReceivedEvent): string =>
  op === undefined ? type : `${type} ${String(op)}`;

/** Whether the app knows events of this name. It ignores others. */
export const isKnown = (name: string): name is EventName => Object.hasOwn(events, name);

/** Parses an event as the app does. Throws Error for one that the app does not understand. */
export function parseEvent(event: ReceivedEvent): void {
  const name = nameOf(event);
  if (!isKnown(name)) return;
  const { error } = events[name].safeParse(event);
  if (error !== undefined) throw new Error(`${JSON.stringify(event)}: ${error.message}`);
}
