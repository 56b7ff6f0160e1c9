import type { Reply } from '#test/http-request';
import type { SeededRandom } from '#test/seeded-random';
import { accountCommands } from './screen-account-commands.fixture.js';
import type { Member } from './screen-member.fixture.js';
import type { Command, ScreenWorld, Sent } from './screen-world.fixture.js';

const TOPICS = ['lunch', 'dinner', 'plans'];

const reader = (world: ScreenWorld, random: SeededRandom): Member =>
  random.pick(world.members.filter(({ isActive }) => isActive));

const anySent = (world: ScreenWorld, random: SeededRandom): Sent | undefined =>
  random.shuffled(world.sent)[0];

const inChannel = (
  world: ScreenWorld,
  random: SeededRandom,
): (Sent & { readonly channelId: number }) | undefined =>
  random.shuffled(world.sent).find(isInChannel);

const isInChannel = (one: Sent): one is Sent & { readonly channelId: number } =>
  one.channelId !== null;

/** A text with some mentions, or none. */
function textOf(world: ScreenWorld, random: SeededRandom): string {
  const { name, id } = random.pick(world.members);
  const mentions = [`@**${name}|${id}**`, `@*${world.groupName}*`, '@**all**', '@**topic**'];
  const chosen = random.next() < 0.5 ? [random.pick(mentions)] : [];
  return ['Hello', ...chosen, String(Math.floor(random.next() * 1e6))].join(' ');
}

async function send(
  world: ScreenWorld,
  sender: Member,
  to: { readonly channelId: number | null; readonly topic: string },
  fields: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const reply = await sender.api.post('/messages', fields);
  if (reply.status === 200) world.sent.push({ id: Number(reply.body['id']), sender, ...to });
  return reply;
}

const sendDirect: Command = (world, random) => {
  const sender = reader(world, random);
  const others = random.shuffled(world.members.filter((one) => one !== sender));
  const to = others.slice(0, 1 + Math.floor(random.next() * 2)).map(({ id }) => id);
  const direct = { channelId: null, topic: '' };
  return send(world, sender, direct, { type: 'direct', to, content: textOf(world, random) });
};

const sendToChannel: Command = (world, random) => {
  const channelId = random.pick(world.channels).id;
  const topic = random.pick(TOPICS);
  const message = { type: 'channel', to: channelId, topic, content: textOf(world, random) };
  return send(world, reader(world, random), { channelId, topic }, message);
};

const read: Command = async (world, random) => {
  const messages = random.shuffled(world.sent).slice(0, 3);
  if (messages.length === 0) return null;
  const flag = { messages: messages.map(({ id }) => id), op: 'add', flag: 'read' };
  return reader(world, random).api.post('/messages/flags', flag);
};

const markUnread: Command = async (world, random) => {
  const message = anySent(world, random);
  if (message === undefined) return null;
  const { id, api } = reader(world, random);
  world.markedUnread.add(`${id} ${message.id}`);
  return api.post('/messages/flags', { messages: [message.id], op: 'remove', flag: 'read' });
};

const readTopic: Command = async (world, random) => {
  const message = inChannel(world, random);
  if (message === undefined) return null;
  const { channelId: stream_id, topic: topic_name } = message;
  return reader(world, random).api.post('/mark_topic_as_read', { stream_id, topic_name });
};

const readChannel: Command = (world, random) =>
  reader(world, random).api.post('/mark_stream_as_read', {
    stream_id: random.pick(world.channels).id,
  });

const readAll: Command = (world, random) => reader(world, random).api.post('/mark_all_as_read');

const readNarrow: Command = (world, random) =>
  reader(world, random).api.post('/messages/flags/narrow', {
    anchor: 'newest',
    num_before: 5,
    num_after: 0,
    narrow: random.pick([
      [],
      [{ operator: 'is', operand: 'dm' }],
      [{ operator: 'channel', operand: random.pick(world.channels).id }],
    ]),
    op: 'add',
    flag: 'read',
  });

const muteSender: Command = (world, random) => {
  const muting = reader(world, random);
  const muted = random.pick(world.members.filter((one) => one !== muting));
  const path = `/users/me/muted_users/${muted.id}`;
  return random.next() < 0.4 ? muting.api.post(path) : muting.api.delete(path);
};

const edit: Command = async (world, random) => {
  const message = random.shuffled(world.sent.filter(({ sender }) => sender.isActive))[0];
  if (message === undefined) return null;
  const content = textOf(world, random);
  return message.sender.api.patch(`/messages/${message.id}`, { content });
};

const moveToTopic: Command = async (world, random) => {
  const message = inChannel(world, random);
  if (message === undefined) return null;
  return world.admin.api.patch(`/messages/${message.id}`, {
    topic: random.pick(TOPICS.filter((topic) => topic !== message.topic)),
    propagate_mode: random.pick(['change_one', 'change_later', 'change_all']),
    send_notification_to_new_thread: random.next() < 0.2,
  });
};

const moveToChannel: Command = async (world, random) => {
  const message = inChannel(world, random);
  if (message === undefined) return null;
  return world.admin.api.patch(`/messages/${message.id}`, {
    stream_id: random.pick(world.channels.filter(({ id }) => id !== message.channelId)).id,
    propagate_mode: random.pick(['change_one', 'change_all']),
    send_notification_to_new_thread: false,
  });
};

const remove: Command = async (world, random) => {
  const message = anySent(world, random);
  return message === undefined ? null : world.admin.api.delete(`/messages/${message.id}`);
};

const muteChannel: Command = (world, random) =>
  reader(world, random).api.post('/users/me/subscriptions/properties', {
    subscription_data: [
      {
        stream_id: random.pick(world.channels).id,
        property: 'is_muted',
        value: random.next() < 0.5,
      },
    ],
  });

const setTopic: Command = (world, random) =>
  reader(world, random).api.post('/user_topics', {
    stream_id: random.pick(world.channels).id,
    topic: random.pick(TOPICS),
    visibility_policy: random.pick([0, 1, 2, 3]),
  });

const setSubscription: Command = (world, random) =>
  reader(world, random).api.post('/users/me/subscriptions/properties', {
    subscription_data: [
      {
        stream_id: random.pick(world.channels).id,
        property: random.pick(['push_notifications', 'wildcard_mentions_notify']),
        value: random.next() < 0.5,
      },
    ],
  });

const SETTINGS = [
  'enable_offline_push_notifications',
  'enable_stream_push_notifications',
  'wildcard_mentions_notify',
  'enable_followed_topic_push_notifications',
  'enable_followed_topic_wildcard_mentions_notify',
];

const setAccount: Command = (world, random) =>
  reader(world, random).api.patch('/settings', {
    [random.pick(SETTINGS)]: random.next() < 0.6,
  });

/** Hours that contain every moment. */
const ALWAYS = [{ days: [0, 1, 2, 3, 4, 5, 6], start: '00:00', end: '00:00' }];

const QUIET_EXCEPTIONS = [[], ['direct'], ['mention', 'group_mention'], ['vip']];

const setQuietHours: Command = (world, random) => {
  const quiet = reader(world, random);
  world.quieted.add(quiet.id);
  return quiet.api.patch('/settings', {
    push_quiet_hours: random.next() < 0.6 ? ALWAYS : [],
    push_quiet_hours_exceptions: random.pick(QUIET_EXCEPTIONS),
    push_vip_user_ids: [random.pick(world.members).id],
  });
};

const snooze: Command = (world, random) => {
  const quiet = reader(world, random);
  world.quieted.add(quiet.id);
  const seconds = random.pick([0, 1, 3, 1000]);
  const until = seconds === 0 ? 0 : Math.floor(Date.now() / 1000) + seconds;
  return quiet.api.patch('/settings', { push_snoozed_until: until });
};

const setDelay: Command = (world, random) =>
  reader(world, random).api.patch('/settings', {
    push_notifications_delay_period_seconds: random.pick([0, 1, 2, 1000]),
  });

/** The time of the reminders of a person comes, of messages since the person wanted reminders. */
const remind: Command = async (world, random) => {
  const { id, api } = reader(world, random);
  await world.makeRemindersDue([id]);
  const seconds = random.pick([0, 300, 300]);
  return api.patch('/settings', { push_notifications_reminder_period_seconds: seconds });
};

const leaveChannel: Command = (world, random) =>
  reader(world, random).api.delete('/users/me/subscriptions', {
    subscriptions: [random.pick(world.channels).name],
  });

const joinChannel: Command = (world, random) =>
  reader(world, random).api.post('/users/me/subscriptions', {
    subscriptions: [{ name: random.pick(world.channels).name }],
  });

/** Every command, by the group with which a history includes it. */
export const commands = {
  sending: { sendDirect, sendToChannel },
  reading: { read, markUnread, readTopic, readChannel, readAll, readNarrow, muteSender },
  editing: { edit },
  moving: { moveToTopic, moveToChannel },
  deleting: { remove },
  muting: { muteChannel, setTopic },
  settings: { setSubscription, setAccount },
  quiet: { setQuietHours, snooze, setDelay, remind },
  subscribing: { leaveChannel, joinChannel },
  ...accountCommands,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Command>>>>;

export type CommandGroup = keyof typeof commands;

/** How often a group is chosen, compared with others. */
export const weights: Readonly<Record<CommandGroup, number>> = {
  sending: 10,
  reading: 2,
  editing: 3,
  moving: 2,
  deleting: 1,
  muting: 2,
  settings: 2,
  quiet: 3,
  subscribing: 1,
  presence: 3,
  queues: 2,
  devices: 1,
  keys: 0.4,
  accounts: 0.15,
};

/** These wait until nothing else runs: the test must know which messages came before. */
export const exclusive: ReadonlySet<CommandGroup> = new Set(['devices', 'keys', 'accounts']);
