import { clientCapabilities } from '#events/declarations';
import type { SeededRandom } from '#test/seeded-random';
import { eventsOf, type ReceivedEvent } from '#test/event-client';
import { appCapabilities } from '../clients/mobile-app.fixture.js';
import { parseEvent } from '../clients/mobile-events.fixture.js';
import { mobileState } from '../integration/registered-state.fixture.js';
import { comparableMessage, type ClientMessage } from './law-contents.fixture.js';
import { forgetHiddenTopics } from './law-channels.fixture.js';
import { apply } from './law-events.fixture.js';
import { LawMessages } from './law-messages.fixture.js';
import { type Row, type State } from './law-state.fixture.js';
import type { Actor } from './law-world.fixture.js';

/** The parameters of a registration. */
export interface ClientOptions {
  readonly client_capabilities: Readonly<Record<string, boolean>>;
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
  readonly slim_presence: boolean;
  readonly include_subscribers: boolean | 'partial';
  readonly event_types: readonly string[] | null;
  readonly idle_queue_timeout?: 'mobile';
}

/** Those of the mobile app. Clients with these options parse their state and their events as the app does. */
export const appOptions: ClientOptions = {
  client_capabilities: appCapabilities,
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  include_subscribers: false,
  event_types: null,
  idle_queue_timeout: 'mobile',
};

/** Lists of event types whose state depends on no other type. */
const typeLists: readonly (readonly string[])[] = [
  [
    'alert_words',
    'saved_snippets',
    'muted_users',
    'default_streams',
    'realm_emoji',
    'realm_playgrounds',
  ],
  ['realm_user', 'custom_profile_fields', 'user_status', 'realm_bot'],
  [
    'message',
    'update_message',
    'delete_message',
    'update_message_flags',
    'subscription',
    'stream',
    'user_topic',
    'starred_messages',
    'recent_private_conversations',
  ],
  [
    'subscription',
    'stream',
    'user_settings',
    'muted_topics',
    'video_calls',
    'has_zoom_token',
    'has_webex_token',
  ],
  ['realm_user', 'custom_profile_fields', 'user_group', 'realm_user_groups', 'realm'],
];

export function randomOptions(random: SeededRandom): ClientOptions {
  const chance = () => random.next() < 0.5;
  if (random.next() < 0.25) return appOptions;
  const capabilities = clientCapabilities.map((name) => [name, chance()] as const);
  return {
    client_capabilities: Object.fromEntries(capabilities),
    apply_markdown: chance(),
    client_gravatar: chance(),
    slim_presence: chance(),
    include_subscribers: random.pick([true, false, 'partial']),
    event_types: random.next() < 0.75 ? null : random.pick(typeLists),
  };
}

/** Members that differ between any two registrations, or change with time alone. */
const volatile = new Set([
  'queue_id',
  'last_event_id',
  'server_timestamp',
  // Only coming online is an event.
  'presences',
  'presence_last_update_id',
]);

/** Members of channels that change with time alone. */
const volatileOfChannels = new Set(['stream_weekly_traffic']);

/** The most messages that one comparison fetches. */
const MAX_MESSAGES = 100;

/** A client of an account, which keeps the state of its registration up to date. */
export class LawClient {
  /** The events since the last comparison, for the report of a difference. */
  readonly recent: ReceivedEvent[] = [];
  readonly messages: LawMessages;
  /** Channels that the account has come to see since the registration. */
  readonly appeared = new Set<number>();
  /** Whether a poll was answered with `BAD_EVENT_QUEUE_ID`. */
  hasLostQueue = false;
  readonly viewer: {
    readonly userId: number;
    readonly options: {
      readonly includeSubscribers: boolean | 'partial';
      readonly capabilities: readonly (typeof clientCapabilities)[number][];
    };
  };
  readonly #apiKey: string;
  #lastEventId: number;

  private constructor(
    readonly actor: Actor,
    readonly options: ClientOptions,
    readonly state: State,
  ) {
    this.viewer = {
      userId: actor.person.id,
      options: {
        includeSubscribers: options.include_subscribers,
        capabilities: clientCapabilities.filter((name) => options.client_capabilities[name]),
      },
    };
    this.messages = new LawMessages(actor.person.id, state);
    this.#apiKey = actor.person.api_key;
    this.#lastEventId = Number(state['last_event_id']);
  }

  /** Null if the account may not sign in at the moment. */
  static async register(actor: Actor, options: ClientOptions): Promise<LawClient | null> {
    const state = await registered(actor, options);
    return state === null ? null : new LawClient(actor, options, state);
  }

  /** Applies all events that are there now. False if the account may not sign in at the moment, or the queue has ended. */
  async catchUp(): Promise<boolean> {
    for (;;) {
      const reply = await this.actor.person.api.get('/events', {
        queue_id: this.state['queue_id'],
        last_event_id: this.#lastEventId,
        dont_block: true,
      });
      this.hasLostQueue = reply.body['code'] === 'BAD_EVENT_QUEUE_ID';
      if (reply.status === 401 || this.hasLostQueue) return false;
      const events = eventsOf(reply);
      if (events.length === 0) break;
      for (const event of events) {
        if (this.options === appOptions) parseEvent(event);
        this.recent.push(event);
        this.#lastEventId = event.id;
        apply(this, event);
      }
    }
    this.messages.write();
    return true;
  }

  /** The differences to a new registration with the same options; null if that is refused. */
  async differences(): Promise<string[] | null> {
    const fresh = await registered(this.actor, this.options);
    if (fresh === null || !(await this.catchUp())) return null;
    const known = structuredClone(this.state);
    this.messages.forgetUncertain(known, fresh);
    forgetHiddenTopics(known, fresh, this.appeared);
    if (this.actor.person.api_key !== this.#apiKey) forgetLoggedOutDevices(known, fresh);
    return [
      ...differencesOf(comparableState(known), comparableState(fresh)),
      ...(await this.#differencesOfMessages()),
    ];
  }

  /** The differences of messages that came as events to those that are fetched; others may no longer be readable. */
  async #differencesOfMessages(): Promise<string[]> {
    const { known } = this.messages;
    const { options } = this;
    if (options.event_types !== null || known.size === 0) return [];
    const reply = await this.actor.person.api.get('/messages', {
      message_ids: [...known.keys()].slice(-MAX_MESSAGES),
      apply_markdown: options.apply_markdown,
      allow_empty_topic_name: options.client_capabilities['empty_topic_name'],
    });
    if (reply.status !== 200) return [];
    const fetched = reply.body['messages'] as ClientMessage[];
    return fetched.flatMap((message) => {
      const one = comparable(comparableMessage(known.get(message.id) ?? {}));
      return differencesOf(one, comparable(comparableMessage(message)), `messages/${message.id}`);
    });
  }
}

/** A push worker removes the devices of a replaced API key, with events. The law has no worker. */
function forgetLoggedOutDevices(known: State, fresh: State): void {
  const { devices } = fresh;
  if (devices !== undefined) known['devices'] = devices;
}

async function registered(actor: Actor, options: ClientOptions): Promise<State | null> {
  const { status, body, text } = await actor.person.api.post('/register', { ...options });
  if (status === 401) return null;
  if (status !== 200) throw new Error(`Registered with ${status}: ${text}`);
  if (options === appOptions) mobileState.parse(body, { reportInput: true });
  return { ...body, ...(await furtherState(actor, options)) };
}

/**
 * State of events that a registration does not return. It may be newer than the queue: its events replace whole rows, so
 * that the last one for each row counts.
 */
async function furtherState({ person: { api } }: Actor, options: ClientOptions): Promise<State> {
  if (options.event_types !== null) return {};
  const { body } = await api.get('/attachments');
  // The used space of the organisation is not among it: only the owner of a file gets its events.
  return { attachments: body['attachments'] ?? [] };
}

const comparableState = (state: State): unknown =>
  comparable(Object.fromEntries(Object.entries(state).filter(([name]) => !volatile.has(name))));

/** Sorts lists by their rows only, and omits members that events do not contain. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable).toSorted(byText);
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Row;
  const entries = Object.entries(row)
    .filter(([name]) => !volatileOfChannels.has(name))
    .map(([name, one]) => [name, isTopicOfUnread(row, name) ? lowerCase(one) : comparable(one)]);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );
}

/** A registration names a topic after its newest message; the client may know only older ones. */
const isTopicOfUnread = (row: Row, name: string): boolean =>
  name === 'topic' && 'unread_message_ids' in row;

const lowerCase = (text: unknown): string => String(text).toLowerCase();

const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

const isTree = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** The innermost differences, with their paths. */
function differencesOf(known: unknown, fresh: unknown, path = ''): string[] {
  if (JSON.stringify(known) === JSON.stringify(fresh)) return [];
  const isComparable =
    isTree(known) && isTree(fresh) && Object.keys(known).length === Object.keys(fresh).length;
  if (path !== '' && !isComparable) {
    return [`${path}: ${JSON.stringify(known)} is ${JSON.stringify(fresh)} in a new registration`];
  }
  const [one, other] = [known as Row, fresh as Row];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differencesOf(one[name], other[name], `${path}/${name}`));
}
