import type { ReceivedEvent } from '#test/event-client';
import {
  editMessage,
  forgetUnknown,
  type ClientMessage,
  moveMessage,
} from './law-contents.fixture.js';
import { ascending, idsOf, type Row, rowsOf, type State } from './law-state.fixture.js';

type Place =
  { readonly channelId: number; readonly topic: string } | { readonly otherIds: readonly number[] };

/**
 * Whether an unread message mentions the account. A registration does not distinguish mentions of everyone from others,
 * and leaves them out where they do not count: then the answer is certain only as long as the place stays muted or not.
 */
type Mention =
  'own' | 'everyone' | 'none' | { readonly isListed: boolean; readonly wasMuted: boolean };

interface Unread {
  readonly place: Place;
  readonly mention: Mention;
}

interface UnreadMessages {
  readonly pms: readonly {
    readonly other_user_id: number;
    readonly unread_message_ids: number[];
  }[];
  readonly huddles: readonly {
    readonly user_ids_string: string;
    readonly unread_message_ids: number[];
  }[];
  readonly streams: readonly {
    readonly stream_id: number;
    readonly topic: string;
    readonly unread_message_ids: number[];
  }[];
  readonly mentions: readonly number[];
}

const keyOf = (place: Place): string =>
  'channelId' in place
    ? JSON.stringify([place.channelId, place.topic.toLowerCase()])
    : JSON.stringify(place.otherIds);

/** The messages of a client: those of its registration, kept up to date with the events of its queue. */
export class LawMessages {
  /** The messages that came as events. */
  readonly known = new Map<number, ClientMessage>();
  /** Channels that may have been archived before: the client may not know their unread messages. */
  readonly maybeRevived = new Set<number>();
  readonly #starred: Set<number>;
  readonly #conversations = new Map<string, number>();
  readonly #unread = new Map<number, Unread>();
  readonly #deleted = new Set<number>();
  #newest: number;

  constructor(
    private readonly userId: number,
    private readonly state: State,
  ) {
    this.#newest = Number(state['max_message_id']);
    this.#starred = new Set(idsOf(state['starred_messages'] ?? []));
    for (const { user_ids, max_message_id } of rowsOf(state, 'recent_private_conversations')) {
      this.#conversations.set(JSON.stringify(user_ids), Number(max_message_id));
    }
    if ('unread_msgs' in state) this.#readUnread(state['unread_msgs'] as UnreadMessages);
  }

  #readUnread({ pms, huddles, streams, mentions }: UnreadMessages): void {
    const add = (ids: readonly number[], place: Place) => {
      const wasMuted = this.#isMuted(place);
      for (const id of ids) {
        this.#unread.set(id, { place, mention: { isListed: mentions.includes(id), wasMuted } });
      }
    };
    for (const { other_user_id, unread_message_ids } of pms) {
      add(unread_message_ids, { otherIds: this.#others([other_user_id]) });
    }
    for (const { user_ids_string, unread_message_ids } of huddles) {
      add(unread_message_ids, { otherIds: this.#others(user_ids_string.split(',').map(Number)) });
    }
    for (const { stream_id, topic, unread_message_ids } of streams) {
      add(unread_message_ids, { channelId: stream_id, topic });
    }
  }

  #others = (ids: readonly number[]): number[] =>
    ids.filter((id) => id !== this.userId).toSorted(ascending);

  /** Applies an event of the type `message`. */
  receive(event: ReceivedEvent): void {
    const message = event['message'] as Row & { readonly id: number };
    const flags = event['flags'] as string[];
    const { id, stream_id, subject, display_recipient } = message;
    this.known.set(id, { ...message, flags });
    this.#newest = Math.max(this.#newest, id);
    const people = typeof display_recipient === 'string' ? [] : (display_recipient as Row[]);
    const otherIds = this.#others(people.map((person) => Number(person['id'])));
    if (message['type'] === 'private') this.#conversations.set(JSON.stringify(otherIds), id);
    if (flags.includes('read')) return;
    const place =
      stream_id === undefined
        ? { otherIds }
        : { channelId: Number(stream_id), topic: String(subject) };
    this.#unread.set(id, { place, mention: mentionIn(flags) });
  }

  /** Applies an event of the type `update_message_flags`. */
  changeFlags({ op, flag, messages, all, message_details }: ReceivedEvent): void {
    if (typeof all !== 'boolean') throw new Error('The terminal fails without `all`');
    const name = String(flag);
    const ids = all ? [...this.#unread.keys(), ...this.known.keys()] : idsOf(messages);
    for (const id of ids) {
      if (name === 'starred') {
        if (op === 'add') this.#starred.add(id);
        else this.#starred.delete(id);
      }
      if (name === 'read' && op === 'add') this.#unread.delete(id);
      const known = this.known.get(id);
      if (known === undefined) continue;
      const others = known.flags.filter((one) => one !== name);
      known.flags = op === 'add' ? [...others, name] : others;
    }
    const details = (message_details ?? {}) as Record<string, Row>;
    for (const [id, one] of Object.entries(details)) {
      const place =
        one['type'] === 'private'
          ? { otherIds: this.#others(idsOf(one['user_ids'] ?? [])) }
          : { channelId: Number(one['stream_id']), topic: String(one['topic']) };
      const flags = this.known.get(Number(id))?.flags;
      const listed = { isListed: one['mentioned'] === true, wasMuted: this.#isMuted(place) };
      const mention = flags === undefined ? listed : mentionIn(flags);
      this.#unread.set(Number(id), { place, mention });
    }
  }

  /** Applies an event of the type `reaction`. Only events have `user`. */
  react({
    op,
    message_id: id,
    id: _id,
    type: _type,
    user: _user,
    ...reaction
  }: ReceivedEvent): void {
    const known = this.known.get(Number(id));
    if (known === undefined) return;
    const isSame = (one: Row) =>
      ['user_id', 'emoji_code', 'reaction_type'].every((name) => one[name] === reaction[name]);
    const others = (known['reactions'] as Row[]).filter((one) => !isSame(one));
    known['reactions'] = op === 'add' ? [...others, reaction] : others;
  }

  /** Applies an event of the type `update_message`. */
  update(event: ReceivedEvent): void {
    const { message_id: edited, message_ids, stream_id, new_stream_id, subject } = event;
    const isMove = 'propagate_mode' in event;
    if (isMove && subject === undefined && new_stream_id === undefined) {
      throw new Error('The mobile app fails on a move without a new place');
    }
    if (new_stream_id !== undefined && this.maybeRevived.has(Number(stream_id))) {
      this.maybeRevived.add(Number(new_stream_id));
    }
    for (const id of isMove ? idsOf(message_ids) : []) {
      const unread = this.#unread.get(id);
      if (unread !== undefined && 'channelId' in unread.place) {
        const channelId = Number(new_stream_id ?? stream_id);
        const topic = String(subject ?? unread.place.topic);
        this.#unread.set(id, { ...unread, place: { channelId, topic } });
      }
      const known = this.known.get(id);
      if (known !== undefined) moveMessage(known, event);
    }
    const flags = event['flags'] as string[] | undefined;
    if (event['content'] === undefined || flags === undefined) return;
    const known = this.known.get(Number(edited));
    if (known !== undefined) editMessage(known, event, flags);
    const unread = this.#unread.get(Number(edited));
    if (unread === undefined) return;
    this.#unread.set(Number(edited), { ...unread, mention: mentionIn(flags) });
  }

  /** Applies an event of the type `delete_message`. */
  remove({ message_id, message_ids }: ReceivedEvent): void {
    for (const id of message_id === undefined ? idsOf(message_ids) : [Number(message_id)]) {
      this.#unread.delete(id);
      this.#starred.delete(id);
      this.known.delete(id);
      this.#deleted.add(id);
    }
  }

  #isMuted(place: Place): boolean {
    if (!('channelId' in place)) return false;
    const topic = rowsOf(this.state, 'user_topics').find(
      (one) =>
        one['stream_id'] === place.channelId &&
        String(one['topic_name']).toLowerCase() === place.topic.toLowerCase(),
    );
    const policy = topic?.['visibility_policy'];
    if (policy === POLICY.muted) return true;
    if (policy === POLICY.unmuted || policy === POLICY.followed) return false;
    return this.#subscription(place.channelId)?.['is_muted'] === true;
  }

  #subscription = (channelId: number): Row | undefined =>
    rowsOf(this.state, 'subscriptions').find((row) => row['stream_id'] === channelId);

  /** Writes the messages into the state, in the form of a registration. */
  write(): void {
    const { state } = this;
    const current: State = {
      max_message_id: this.#newest,
      starred_messages: [...this.#starred].toSorted(ascending),
      recent_private_conversations: [...this.#conversations]
        .map(([others, id]) => ({ max_message_id: id, user_ids: JSON.parse(others) as number[] }))
        .toSorted((one, other) => other.max_message_id - one.max_message_id),
      unread_msgs: this.#unreadMessages(),
    };
    for (const [name, value] of Object.entries(current)) if (name in state) state[name] = value;
  }

  /** Removes members that the events do not determine, from this state and from that of a new registration. */
  forgetUncertain(known: State, fresh: State): void {
    const states = [known, fresh];
    forgetUnknown(
      known,
      fresh,
      (id, channelId) => this.#unread.has(id) || !this.maybeRevived.has(channelId),
    );
    const uncertain = [...this.#unread].filter(([, unread]) => this.#isMention(unread) === null);
    const ids = new Set(uncertain.map(([id]) => id));
    for (const state of states) {
      // A client does not know which message was the newest before the deleted one.
      if (this.#deleted.has(this.#newest)) delete state['max_message_id'];
      const unread = state['unread_msgs'] as Row | undefined;
      if (unread !== undefined) {
        unread['mentions'] = idsOf(unread['mentions']).filter((id) => !ids.has(id));
      }
      for (const [others, newest] of this.#conversations) {
        if (!this.#deleted.has(newest) || !('recent_private_conversations' in state)) continue;
        state['recent_private_conversations'] = rowsOf(
          state,
          'recent_private_conversations',
        ).filter(({ user_ids }) => JSON.stringify(user_ids) !== others);
      }
    }
  }

  /** Null if the events do not determine it. */
  #isMention({ place, mention }: Unread): boolean | null {
    const isMuted = this.#isMuted(place);
    if (mention === 'own') return true;
    if (mention === 'none') return false;
    if (mention === 'everyone') return !isMuted;
    const { isListed, wasMuted } = mention;
    // Listed while muted: the message mentions the account itself. Not listed while not muted: it mentions nobody.
    if (isListed === wasMuted || isMuted === wasMuted) return isListed;
    return null;
  }

  #unreadMessages() {
    const groups = new Map<string, { place: Place; ids: number[] }>();
    const all = [...this.#unread]
      .filter(
        ([, { place }]) =>
          !('channelId' in place) || this.#subscription(place.channelId) !== undefined,
      )
      .toSorted(([one], [other]) => one - other);
    for (const [id, { place }] of all) {
      const group = groups.get(keyOf(place)) ?? { place, ids: [] };
      group.ids.push(id);
      groups.set(keyOf(place), group);
    }
    const places = [...groups.values()];
    const topics = places.flatMap(({ place, ids }) =>
      'channelId' in place
        ? [{ stream_id: place.channelId, topic: place.topic, unread_message_ids: ids }]
        : [],
    );
    const talks = places.flatMap(({ place, ids }) =>
      'otherIds' in place ? [{ otherIds: place.otherIds, ids }] : [],
    );
    return {
      count: all.filter(([, { place }]) => !this.#isMuted(place)).length,
      pms: talks
        .filter(({ otherIds }) => otherIds.length < 2)
        .map(({ otherIds: [other = this.userId], ids }) => ({
          other_user_id: other,
          sender_id: other,
          unread_message_ids: ids,
        })),
      streams: topics,
      huddles: talks
        .filter(({ otherIds }) => otherIds.length > 1)
        .map(({ otherIds, ids }) => ({
          user_ids_string: [...otherIds, this.userId].toSorted(ascending).join(','),
          unread_message_ids: ids,
        })),
      mentions: all.filter(([, one]) => this.#isMention(one) === true).map(([id]) => id),
      old_unreads_missing: false,
    };
  }
}

const POLICY = { muted: 1, unmuted: 2, followed: 3 };

function mentionIn(flags: readonly string[]): Mention {
  if (flags.includes('mentioned')) return 'own';
  return flags.some((flag) => flag.endsWith('wildcard_mentioned')) ? 'everyone' : 'none';
}
