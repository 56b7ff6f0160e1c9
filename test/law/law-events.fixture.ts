import type { ReceivedEvent } from '#test/event-client';
import {
  changeAccount,
  changeBot,
  changeGroup,
  changeProfileFields,
  changeStatus,
} from './law-accounts.fixture.js';
import { changeChannel, changeSubscription } from './law-channels.fixture.js';
import type { LawMessages } from './law-messages.fixture.js';
import { drop, put, type Row, rowsOf, type State, type Viewer } from './law-state.fixture.js';

/** A client that gets an event. */
interface Reader {
  readonly state: State;
  readonly viewer: Viewer;
  readonly messages: LawMessages;
  /** Channels that the account has come to see since the registration. */
  readonly appeared: Set<number>;
}

type Reducer = (reader: Reader, event: ReceivedEvent) => void;

/** Replaces a list in the state by a member of the event. */
const replace =
  (member: string, name = member): Reducer =>
  ({ state }, event) => {
    if (name in state) state[name] = event[member];
  };

const ofState =
  (change: (state: State, event: ReceivedEvent, viewer: Viewer) => void): Reducer =>
  ({ state, viewer }, event) =>
    change(state, event, viewer);

/** The event changes nothing that a registration returns. */
const noState: Reducer = () => undefined;

/** How a client applies the events of each type to its state. A new type of event needs an entry. */
const reducers: Readonly<Record<string, Reducer>> = {
  attachment: ofState(changeFile),
  channel_folder: ofState(changeFolder),
  custom_profile_fields: ofState(changeProfileFields),
  default_streams: replace('default_streams', 'realm_default_streams'),
  delete_message: ({ messages }, event) => messages.remove(event),
  drafts: ofState(changeDraft),
  has_webex_token: replace('value', 'has_webex_token'),
  has_zoom_token: replace('value', 'has_zoom_token'),
  device: ofState(changeDevice),
  heartbeat: noState,
  message: ({ messages }, event) => messages.receive(event),
  muted_topics: replace('muted_topics'),
  alert_words: replace('alert_words'),
  muted_users: replace('muted_users'),
  presence: noState,
  reaction: ({ messages }, event) => messages.react(event),
  submessage: noState,
  realm: ofState(changeRealm),
  realm_bot: ofState(changeBot),
  realm_emoji: ofState(changeEmoji),
  realm_linkifiers: replace('realm_linkifiers'),
  realm_playgrounds: replace('realm_playgrounds'),
  realm_user: ofState(changeAccount),
  saved_snippets: ofState(changeSnippet),
  scheduled_messages: ofState(changeScheduled),
  stream: (reader, event) => {
    changeChannel(reader.state, event, reader.viewer);
    noteCreated(reader, event);
  },
  subscription: ofState(changeSubscription),
  typing: noState,
  typing_edit_message: noState,
  update_message: ({ messages }, event) => messages.update(event),
  update_message_flags: ({ messages }, event) => messages.changeFlags(event),
  user_group: ofState(changeGroup),
  user_settings: ofState(changeSetting),
  user_status: ofState(changeStatus),
  user_topic: ofState(changeUserTopic),
};

/** Applies an event as clients do. Throws Error for an event that a client does not know. */
export function apply(reader: Reader, event: ReceivedEvent): void {
  const reducer = reducers[event.type];
  if (reducer === undefined) {
    throw new Error(`No reducer in law-events.fixture.ts for the type ${event.type}`);
  }
  reducer(reader, event);
}

/** A channel that is brought back is new to clients that know no archived channels. */
function noteCreated({ viewer, messages, appeared }: Reader, { op, streams }: ReceivedEvent): void {
  if (op !== 'create') return;
  const isOlder = !viewer.options.capabilities.includes('archived_channels');
  for (const { stream_id: id } of streams as Row[]) {
    appeared.add(Number(id));
    if (isOlder) messages.maybeRevived.add(Number(id));
  }
}

function changeFile(state: State, { op, attachment }: ReceivedEvent): void {
  if (!('attachments' in state)) return;
  const file = attachment as Row;
  if (op === 'remove') drop(state, 'attachments', file['id']);
  else put(state, 'attachments', file);
}

function changeRealm(state: State, { op, property, value, data }: ReceivedEvent): void {
  const changed = op === 'update_dict' ? (data as Row) : { [String(property)]: value };
  for (const [name, current] of Object.entries(changed)) {
    const member = name in state ? name : `realm_${name}`;
    if (member in state) state[member] = current;
  }
}

function changeEmoji(state: State, event: ReceivedEvent): void {
  const known = state['realm_emoji'] as Record<string, Row> | undefined;
  if (known === undefined) return;
  if (event['op'] === 'update') state['realm_emoji'] = event['realm_emoji'];
  else if (event['op'] === 'add') {
    const emoji = event['emoji'] as Row;
    known[String(emoji['id'])] = emoji;
  } else Object.assign(known[String(event['emoji_id'])] ?? {}, event['data']);
}

function changeDraft(state: State, event: ReceivedEvent): void {
  if (!('drafts' in state)) return;
  if (event['op'] === 'remove') return drop(state, 'drafts', event['draft_id']);
  const changed = (event['op'] === 'add' ? event['drafts'] : [event['draft']]) as Row[];
  for (const draft of changed) put(state, 'drafts', draft);
  const last = (one: Row, other: Row) =>
    Number(other['timestamp']) - Number(one['timestamp']) ||
    Number(other['id']) - Number(one['id']);
  state['drafts'] = rowsOf(state, 'drafts').toSorted(last);
}

function changeScheduled(state: State, event: ReceivedEvent): void {
  const [list, key] = ['scheduled_messages', 'scheduled_message_id'];
  if (!(list in state)) return;
  if (event['op'] === 'remove') return drop(state, list, event[key], key);
  const changed = event['op'] === 'add' ? event[list] : [event['scheduled_message']];
  for (const message of changed as Row[]) put(state, list, message, key);
  const time = 'scheduled_delivery_timestamp';
  const earlier = (one: Row, other: Row) =>
    Number(one[time]) - Number(other[time]) || Number(one[key]) - Number(other[key]);
  state[list] = rowsOf(state, list).toSorted(earlier);
}

function changeFolder(state: State, event: ReceivedEvent): void {
  const folders = rowsOf(state, 'channel_folders');
  if (event['op'] === 'add') put(state, 'channel_folders', event['channel_folder'] as Row);
  else if (event['op'] === 'reorder') {
    const order = event['order'] as number[];
    for (const folder of folders) folder['order'] = order.indexOf(Number(folder['id']));
    state['channel_folders'] = folders.toSorted(
      (one, other) => Number(one['order']) - Number(other['order']),
    );
  } else {
    const folder = folders.find(({ id }) => id === event['channel_folder_id']);
    Object.assign(folder ?? {}, event['data']);
  }
}
function changeDevice(state: State, event: ReceivedEvent): void {
  const devices = state['devices'] as Record<string, Row> | undefined;
  if (devices === undefined) return;
  const { id: _, type: __, op, device_id: deviceId, ...changed } = event;
  if (op === 'remove') delete devices[String(deviceId)];
  else if (op === 'add') devices[String(deviceId)] = { ...unregisteredDevice };
  else Object.assign(devices[String(deviceId)] ?? {}, changed);
}

const unregisteredDevice: Row = {
  push_key_id: null,
  push_token_id: null,
  pending_push_token_id: null,
  push_token_last_updated_timestamp: null,
  push_registration_error_code: null,
};

function changeSnippet(state: State, event: ReceivedEvent): void {
  if (event['op'] === 'remove') drop(state, 'saved_snippets', event['saved_snippet_id']);
  else put(state, 'saved_snippets', event['saved_snippet'] as Row);
}

function changeSetting(state: State, { property, value }: ReceivedEvent): void {
  if ('user_settings' in state) (state['user_settings'] as Row)[String(property)] = value;
}

function changeUserTopic(state: State, { id: _id, type: _type, ...topic }: ReceivedEvent): void {
  if (!('user_topics' in state)) return;
  const isSame = (one: Row) =>
    one['stream_id'] === topic['stream_id'] &&
    String(one['topic_name']).toLowerCase() === String(topic['topic_name']).toLowerCase();
  const others = rowsOf(state, 'user_topics').filter((one) => !isSame(one));
  state['user_topics'] = topic['visibility_policy'] === 0 ? others : [...others, topic];
}
