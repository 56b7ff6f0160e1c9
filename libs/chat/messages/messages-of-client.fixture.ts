/** An event as a queue gets it. */
export interface QueueEvent {
  readonly id: number;
  readonly type: string;
  readonly [member: string]: unknown;
}

interface ShownMessage {
  readonly id: number;
  readonly type: 'stream' | 'private';
  readonly stream_id?: number;
  readonly subject: string;
  readonly display_recipient: string | readonly { readonly id: number }[];
}

interface Unread {
  readonly place:
    | { readonly channelId: number; readonly topic: string }
    | { readonly otherIds: readonly number[] };
  readonly isMention: boolean;
}

interface Details {
  readonly type: 'stream' | 'private';
  readonly user_ids?: readonly number[];
  readonly stream_id?: number;
  readonly topic?: string;
  readonly mentioned?: boolean;
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

const ascending = (one: number, other: number): number => one - other;

/** A client that keeps the messages of its registration up to date with the events of its queue. */
export class MessagesOfClient {
  readonly #starred: Set<number>;
  /** The newest message by the other members of the conversation, as JSON. */
  readonly #conversations = new Map<string, number>();
  readonly #unread = new Map<number, Unread>();
  #newest: number;

  constructor(
    private readonly userId: number,
    private readonly mutedChannels: ReadonlySet<number>,
    registered: Readonly<Record<string, unknown>>,
  ) {
    this.#newest = Number(registered['max_message_id']);
    this.#starred = new Set(registered['starred_messages'] as number[]);
    const recent = registered['recent_private_conversations'] as {
      readonly user_ids: number[];
      readonly max_message_id: number;
    }[];
    for (const { user_ids, max_message_id } of recent) {
      this.#conversations.set(JSON.stringify(user_ids), max_message_id);
    }
    this.#readUnread(registered['unread_msgs'] as UnreadMessages);
  }

  #readUnread({ pms, huddles, streams, mentions }: UnreadMessages): void {
    const add = (ids: readonly number[], place: Unread['place']) => {
      for (const id of ids) this.#unread.set(id, { place, isMention: mentions.includes(id) });
    };
    for (const { other_user_id, unread_message_ids } of pms) {
      add(unread_message_ids, { otherIds: [other_user_id].filter((id) => id !== this.userId) });
    }
    for (const { user_ids_string, unread_message_ids } of huddles) {
      const members = user_ids_string.split(',').map(Number);
      add(unread_message_ids, { otherIds: members.filter((id) => id !== this.userId) });
    }
    for (const { stream_id, topic, unread_message_ids } of streams) {
      add(unread_message_ids, { channelId: stream_id, topic });
    }
  }

  apply(event: QueueEvent): void {
    if (event.type === 'message') {
      this.#receive(event['message'] as ShownMessage, event['flags'] as string[]);
    }
    if (event.type === 'update_message_flags') this.#changeFlags(event);
  }

  #receive(message: ShownMessage, flags: readonly string[]): void {
    const { id, stream_id, subject, display_recipient } = message;
    this.#newest = Math.max(this.#newest, id);
    const people = typeof display_recipient === 'string' ? [] : display_recipient;
    const otherIds = people.map((person) => person.id).filter((other) => other !== this.userId);
    if (message.type === 'private') this.#conversations.set(JSON.stringify(otherIds), id);
    if (flags.includes('read')) return;
    const isMuted = stream_id !== undefined && this.mutedChannels.has(stream_id);
    const isMention =
      flags.includes('mentioned') || (flags.includes('wildcard_mentioned') && !isMuted);
    const place = stream_id === undefined ? { otherIds } : { channelId: stream_id, topic: subject };
    this.#unread.set(id, { place, isMention });
  }

  #changeFlags({ op, flag, messages, all, message_details }: QueueEvent): void {
    if (all === true) this.#unread.clear();
    for (const id of messages as number[]) {
      if (flag === 'starred' && op === 'add') this.#starred.add(id);
      if (flag === 'starred' && op === 'remove') this.#starred.delete(id);
      if (flag === 'read' && op === 'add') this.#unread.delete(id);
    }
    for (const [id, details] of Object.entries(
      (message_details ?? {}) as Record<string, Details>,
    )) {
      const { user_ids = [], stream_id = 0, topic = '' } = details;
      const place =
        details.type === 'private' ? { otherIds: user_ids } : { channelId: stream_id, topic };
      this.#unread.set(Number(id), { place, isMention: details.mentioned === true });
    }
  }

  /** The members that a registration would have now. */
  state() {
    return {
      max_message_id: this.#newest,
      starred_messages: [...this.#starred].toSorted(ascending),
      recent_private_conversations: [...this.#conversations]
        .map(([others, id]) => ({ max_message_id: id, user_ids: JSON.parse(others) as number[] }))
        .toSorted((one, other) => other.max_message_id - one.max_message_id),
      unread_msgs: this.#unreadMessages(),
    };
  }

  #unreadMessages() {
    const groups = new Map<string, { place: Unread['place']; ids: number[] }>();
    const all = [...this.#unread].toSorted(([one], [other]) => one - other);
    for (const [id, { place }] of all) {
      const key = JSON.stringify(place);
      const group = groups.get(key) ?? { place, ids: [] };
      group.ids.push(id);
      groups.set(key, group);
    }
    const topics = [...groups.values()].flatMap(({ place, ids }) =>
      'channelId' in place
        ? [{ stream_id: place.channelId, topic: place.topic, unread_message_ids: ids }]
        : [],
    );
    const talks = [...groups.values()].flatMap(({ place, ids }) =>
      'otherIds' in place ? [{ otherIds: place.otherIds, ids }] : [],
    );
    const muted = topics.filter(({ stream_id }) => this.mutedChannels.has(stream_id));
    return {
      count: muted.reduce(
        (rest, { unread_message_ids }) => rest - unread_message_ids.length,
        all.length,
      ),
      pms: talks
        .filter(({ otherIds }) => otherIds.length < 2)
        .map(({ otherIds: [other = this.userId], ids }) => ({
          other_user_id: other,
          sender_id: other,
          unread_message_ids: ids,
        }))
        .toSorted((one, other) => one.other_user_id - other.other_user_id),
      streams: topics.toSorted(
        (one, other) => one.stream_id - other.stream_id || (one.topic < other.topic ? -1 : 1),
      ),
      huddles: talks
        .filter(({ otherIds }) => otherIds.length > 1)
        .map(({ otherIds, ids }) => ({
          user_ids_string: [...otherIds, this.userId].toSorted(ascending).join(','),
          unread_message_ids: ids,
        }))
        .toSorted((one, other) => (one.user_ids_string < other.user_ids_string ? -1 : 1)),
      mentions: all.filter(([, { isMention }]) => isMention).map(([id]) => id),
      old_unreads_missing: false,
    };
  }
}
