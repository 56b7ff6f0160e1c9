import type { ReceivedEvent } from '#test/event-client';
import {
  ascending,
  drop,
  idsOf,
  joined,
  put,
  type Row,
  rowsOf,
  type State,
  type Viewer,
  without,
} from './law-state.fixture.js';

const subscriptionLists = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const;
const channelLists = ['streams', ...subscriptionLists] as const;

/** Members of a subscription that no other list of channels has. */
const ownMembers = new Set([
  'desktop_notifications',
  'email_notifications',
  'push_notifications',
  'audible_notifications',
  'wildcard_mentions_notify',
  'pin_to_top',
  'is_muted',
  'in_home_view',
  'color',
  'subscribers',
  'partial_subscribers',
]);

const channelOf = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !ownMembers.has(name)));

/** Applies an event of the type `stream`. */
export function changeChannel(state: State, event: ReceivedEvent, viewer: Viewer): void {
  if (event['op'] === 'create') {
    for (const channel of event['streams'] as Row[]) {
      put(state, 'streams', channelOf(channel), 'stream_id');
      if (isSubscriber(state, channel)) continue;
      put(state, 'never_subscribed', shownTo(viewer, channel), 'stream_id');
    }
    return;
  }
  if (event['op'] === 'delete') {
    for (const id of idsOf(event['stream_ids'])) {
      for (const list of channelLists) drop(state, list, id, 'stream_id');
    }
    return;
  }
  const { id: _id, type: _type, op, stream_id, name: oldName, property, value, ...more } = event;
  if (op !== 'update') throw new Error(`Unknown change of a channel: ${String(op)}`);
  if (property === 'name') {
    // Older clients know a channel by its name.
    for (const topic of (state['muted_topics'] ?? []) as unknown[][]) {
      if (topic[0] === oldName) topic[0] = value;
    }
  }
  for (const row of channelLists.flatMap((list) => rowsOf(state, list))) {
    if (row['stream_id'] !== stream_id) continue;
    row[String(property)] = value;
    Object.assign(row, more);
  }
}

/**
 * Removes the muted topics of the older form that events do not determine: the list has only those of channels that the
 * account may see, and no event follows when it comes to see one.
 */
export function forgetHiddenTopics(
  known: State,
  fresh: State,
  appeared: ReadonlySet<number>,
): void {
  const seen = rowsOf(known, 'streams').filter(({ stream_id }) => !appeared.has(Number(stream_id)));
  const names = new Set(seen.map(({ name }) => name));
  for (const state of [known, fresh]) {
    const topics = state['muted_topics'] as readonly unknown[][] | undefined;
    if (topics !== undefined) state['muted_topics'] = topics.filter(([name]) => names.has(name));
  }
}

const isSubscriber = (state: State, { stream_id }: Row): boolean =>
  ['subscriptions', 'unsubscribed'].some((list) =>
    rowsOf(state, list).some((row) => row['stream_id'] === stream_id),
  );

/** A channel that has become visible; its subscribers follow as `peer_add`, unless the event has them. */
function shownTo({ options }: Viewer, channel: Row): Row {
  if (options.includeSubscribers === false || 'subscribers' in channel) return { ...channel };
  return { ...channel, subscribers: [] };
}

/** Applies an event of the type `subscription`. */
export function changeSubscription(state: State, event: ReceivedEvent, viewer: Viewer): void {
  switch (event['op']) {
    case 'add':
      return subscribe(state, event['subscriptions'] as Row[]);
    case 'remove':
      return unsubscribe(state, event['subscriptions'] as Row[], viewer);
    case 'update':
      return changeProperty(state, event);
    case 'peer_add':
    case 'peer_remove':
      return changePeers(state, event);
    default:
      throw new Error(`Unknown change of a subscription: ${String(event['op'])}`);
  }
}

function subscribe(state: State, added: readonly Row[]): void {
  for (const subscription of added) {
    const { stream_id, subscriber_count } = subscription;
    drop(state, 'unsubscribed', stream_id, 'stream_id');
    drop(state, 'never_subscribed', stream_id, 'stream_id');
    put(state, 'subscriptions', { ...subscription }, 'stream_id');
    for (const row of rowsOf(state, 'streams')) {
      if (row['stream_id'] === stream_id) Object.assign(row, { subscriber_count });
    }
  }
}

function unsubscribe(state: State, removed: readonly Row[], { userId }: Viewer): void {
  for (const { stream_id } of removed) {
    const own = rowsOf(state, 'subscriptions').find((row) => row['stream_id'] === stream_id);
    if (own !== undefined) {
      drop(state, 'subscriptions', stream_id, 'stream_id');
      put(state, 'unsubscribed', own, 'stream_id');
      removePeers(own, [userId]);
    }
    for (const row of rowsOf(state, 'streams')) {
      if (row['stream_id'] === stream_id) removePeers(row, [userId]);
    }
  }
}

function changeProperty(state: State, { stream_id, property, value }: ReceivedEvent): void {
  if (value === null) throw new Error(`The mobile app refuses null for ${String(property)}`);
  const lists = ['subscriptions', 'unsubscribed'].flatMap((list) => rowsOf(state, list));
  for (const row of lists) if (row['stream_id'] === stream_id) row[String(property)] = value;
}

function changePeers(state: State, event: ReceivedEvent): void {
  const userIds = idsOf(event['user_ids']);
  const change = event['op'] === 'peer_add' ? addPeers : removePeers;
  for (const row of channelLists.flatMap((list) => rowsOf(state, list))) {
    if (idsOf(event['stream_ids']).includes(Number(row['stream_id']))) change(row, userIds);
  }
}

function addPeers(channel: Row, userIds: readonly number[]): void {
  const known = channel['subscribers'] ?? channel['partial_subscribers'];
  if (known === undefined) {
    channel['subscriber_count'] = Number(channel['subscriber_count']) + userIds.length;
    return;
  }
  const list = 'subscribers' in channel ? 'subscribers' : 'partial_subscribers';
  const added = without(userIds, idsOf(known));
  channel[list] = joined(idsOf(known), added);
  channel['subscriber_count'] = Number(channel['subscriber_count']) + added.length;
}

function removePeers(channel: Row, userIds: readonly number[]): void {
  if ('subscribers' in channel) {
    const known = idsOf(channel['subscribers']);
    const missing = without(userIds, known);
    // The terminal fails here.
    if (missing.length > 0)
      throw new Error(`${String(channel['name'])} has no subscriber ${missing.join()}`);
    channel['subscribers'] = without(known, userIds).toSorted(ascending);
  }
  if ('partial_subscribers' in channel) {
    channel['partial_subscribers'] = without(idsOf(channel['partial_subscribers']), userIds);
  }
  channel['subscriber_count'] = Number(channel['subscriber_count']) - userIds.length;
}
