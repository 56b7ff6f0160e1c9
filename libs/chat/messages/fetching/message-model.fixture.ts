import type { Person } from '#test/organisation';
import type {
  MessageWorld,
  WorldChannel,
  WorldMessage,
  WorldRow,
} from './message-world.fixture.js';

/** A term as the model knows it. */
export interface ModelTerm {
  readonly operator: string;
  readonly operand: unknown;
  readonly negated: boolean;
}

export interface ModelRequest {
  readonly anchor: number | 'newest' | 'oldest' | 'first_unread';
  readonly num_before: number;
  readonly num_after: number;
  readonly include_anchor: boolean;
  readonly narrow: readonly ModelTerm[];
}

/** Operators that only messages of channels satisfy, and that only direct messages satisfy. */
const OF_CHANNEL: ReadonlySet<string> = new Set(['channel', 'channels', 'topic']);
const OF_PEOPLE: ReadonlySet<string> = new Set(['dm', 'dm-including']);

const NEWEST = 10_000_000_000_000_000;

/** The answers of GET /messages, worked out one message at a time. */
export class MessageModel {
  constructor(
    private readonly world: MessageWorld,
    private readonly reader: Person,
  ) {}

  get #isGuest(): boolean {
    return this.reader.id === this.world.guest.id;
  }

  /** The text of the refusal of a narrow; null for one that is answered. */
  refusalOf(narrow: readonly ModelTerm[]): string | null {
    const wanted = narrow.filter(({ negated }) => !negated);
    const isOfChannel = wanted.some(({ operator }) => OF_CHANNEL.has(operator));
    const isDirect = wanted.some(
      ({ operator, operand }) => OF_PEOPLE.has(operator) || (operator === 'is' && operand === 'dm'),
    );
    if (isOfChannel && isDirect) {
      return 'Invalid narrow operator: No message can be both a channel message and direct message';
    }
    const hidden = narrow.find(
      ({ operator, operand }) => operator === 'channel' && !this.#sees(this.#channelNamed(operand)),
    );
    return hidden === undefined
      ? null
      : `Invalid narrow operator: unknown channel ${String(hidden.operand)}`;
  }

  /** The answer to a request that is not refused. */
  answer(request: ModelRequest) {
    const { narrow, num_before: before, num_after: after } = request;
    const all = this.world.messages.filter((message) => this.#isIn(message, narrow));
    const anchor = this.#anchorOf(request);
    const found = {
      before: anchor === 0 ? [] : all.filter(({ id }) => id < anchor).slice(-before || all.length),
      own: all.filter(({ id }) => id === anchor && request.include_anchor),
      after: anchor === NEWEST ? [] : all.filter(({ id }) => id > anchor).slice(0, after),
    };
    return {
      messages: [...found.before, ...found.own, ...found.after].map(({ id }) => id),
      anchor,
      found_anchor: found.own.length > 0,
      found_oldest: anchor === 0 || found.before.length < before,
      found_newest: anchor === NEWEST || found.after.length < after,
    };
  }

  #anchorOf({ anchor, narrow }: ModelRequest): number {
    if (anchor === 'newest') return NEWEST;
    if (anchor === 'oldest') return 0;
    if (anchor !== 'first_unread') return anchor;
    const isOfChannel = narrow.some(({ operator, negated }) => operator === 'channel' && !negated);
    const isOfTopic = narrow.some(({ operator, negated }) => operator === 'topic' && !negated);
    const first = this.world.messages.find(
      (message) =>
        this.#isReceived(message) &&
        narrow.every((term) => this.#isMatch(message, term)) &&
        this.#row(message)?.isRead === false &&
        (isOfTopic || !(isOfChannel ? this.#visibility(message) === 1 : this.#isMuted(message))),
    );
    return first?.id ?? NEWEST;
  }

  #isIn(message: WorldMessage, narrow: readonly ModelTerm[]): boolean {
    const isIncluded = this.#hasHistory(narrow)
      ? this.#isReadable(message)
      : this.#isReceived(message);
    return isIncluded && narrow.every((term) => this.#isMatch(message, term));
  }

  #row(message: WorldMessage): WorldRow | undefined {
    return message.rows.get(this.reader.id);
  }

  #isReceived(message: WorldMessage): boolean {
    return this.#row(message) !== undefined && this.#isReadable(message);
  }

  #channelNamed(operand: unknown): WorldChannel | null {
    return this.world.channels.find(({ id, name }) => isNamed(operand, id, name)) ?? null;
  }

  #sees(channel: WorldChannel | null): boolean {
    if (channel === null) return false;
    if (channel.isWebPublic || channel.subscribers.has(this.reader.id)) return true;
    return !this.#isGuest && !channel.isPrivate;
  }

  #isReadable(message: WorldMessage): boolean {
    const { channel, memberIds } = message;
    if (channel === null) return memberIds.includes(this.reader.id);
    const isSent = this.#row(message)?.isHistorical === false;
    return this.#sees(channel) && (channel.isHistoryShared || isSent);
  }

  #isMuted(message: WorldMessage): boolean {
    const visibility = this.#visibility(message);
    if (visibility !== undefined) return visibility === 1;
    return message.channel?.subscribers.get(this.reader.id) === true;
  }

  #visibility({ channel, topic }: WorldMessage): number | undefined {
    return channel?.topics.get(`${this.reader.id} ${topic.toLowerCase()}`);
  }

  #hasHistory(narrow: readonly ModelTerm[]): boolean {
    const isAboutRows = narrow.some(
      ({ operator, operand }) =>
        operator === 'is' && operand !== 'resolved' && operand !== 'followed',
    );
    if (isAboutRows) return false;
    return narrow.some(({ operator, operand, negated }) => {
      if (negated) return false;
      if (operator === 'channels') return operand === 'public' && !this.#isGuest;
      if (operator !== 'channel') return false;
      const channel = this.#channelNamed(operand);
      return channel?.isHistoryShared === true && this.#sees(channel);
    });
  }

  #isMatch(message: WorldMessage, term: ModelTerm): boolean {
    return this.#holds(message, term) !== term.negated;
  }

  #holds(message: WorldMessage, { operator, operand, negated }: ModelTerm): boolean {
    const { channel, memberIds, topic, content, rows, senderId } = message;
    const row = this.#row(message);
    switch (operator) {
      case 'channel':
        return channel !== null && isNamed(operand, channel.id, channel.name);
      case 'channels':
        if (operand === 'web-public') return channel?.isWebPublic === true;
        if (operand === 'archived') return channel?.isArchived === true;
        return channel?.isPrivate === false;
      case 'topic':
        return channel !== null && topic.toLowerCase() === String(operand).toLowerCase();
      case 'dm': {
        const ids = [...new Set([...(operand as number[]), this.reader.id])];
        const isEqual =
          ids.length === memberIds.length && ids.every((id) => memberIds.includes(id));
        return (operand as number[]).length > 0 && isEqual;
      }
      case 'dm-including':
        return memberIds.includes(operand as number);
      case 'sender':
        return senderId === operand;
      case 'mentions':
        return rows.get(operand as number)?.isMentioned === true;
      case 'has':
        if (operand === 'reaction') return message.hasReaction;
        return operand === 'link' && content.includes('https:');
      case 'in':
        return operand === 'all' ? !negated : !this.#isMuted(message);
      case 'id':
        return message.id === operand;
      case 'near':
        return !negated;
      case 'search':
        return isFound(`${topic} ${content}`, String(operand));
      default:
        return this.#isInState(message, String(operand), row);
    }
  }

  #isInState(message: WorldMessage, state: string, row: WorldRow | undefined): boolean {
    switch (state) {
      case 'dm':
        return message.channel === null;
      case 'starred':
        return row?.isStarred === true;
      case 'unread':
        return row?.isRead === false;
      case 'mentioned':
        return row?.isMentioned === true || row?.isWildcardMentioned === true;
      case 'resolved':
        return message.topic.startsWith('✔ ');
      case 'muted':
        return this.#isMuted(message);
      case 'followed':
        return this.#visibility(message) === 3;
      default:
        return false;
    }
  }
}

const isNamed = (operand: unknown, id: number, name: string): boolean =>
  typeof operand === 'number'
    ? operand === id
    : name.toLowerCase() === String(operand).toLowerCase();

const STEMS: Readonly<Record<string, string>> = { cooking: 'cook', cooked: 'cook' };
const stemOf = (word: string): string => STEMS[word] ?? word;

function isFound(text: string, searched: string): boolean {
  const lower = text.toLowerCase();
  if (searched.startsWith('"')) return lower.includes(searched.slice(1, -1).toLowerCase());
  const stems = new Set(lower.split(/[^\p{L}]+/u).map(stemOf));
  return searched
    .toLowerCase()
    .split(' ')
    .every((word) => stems.has(stemOf(word)));
}
