import { type EventType, formKeyOf, type QueueOptions, wantsType } from '#events/declarations';
import { eventScopes, type LoggedEvent, SIGNED_OUT } from '#events/log';
import { type EventQueue, MAX_FORMS } from '#events/queues';

/** The account of a queue, as far as the audience of an event depends on it. */
export interface QueueOwner {
  readonly userId: number;
  readonly isGuest: boolean;
  /** The generation of the API key of the sign-in. */
  readonly keyGeneration: number;
}

const NO_FLAGS: readonly string[] = [];

/** Clients of the same app have the same form. One account can register queues with any number of forms. */
const MAX_KEPT_FORMS = 16;

/**
 * An event in the memory of a gateway. The JSON text for each form of queues is made at the first use and shared by all
 * queues.
 */
export class WindowedEvent {
  readonly event: Omit<LoggedEvent, 'userIds' | 'exceptIds'>;
  /** The listed accounts, in ascending order. */
  readonly listed: Int32Array;
  readonly #excepted: Int32Array;
  readonly #forms = new Map<string, readonly string[]>();
  /** The characters of the texts of its forms, without those of the first form. */
  #furtherCharacters = 0;
  #flags: ReadonlyMap<number, readonly string[]> | undefined;
  /** The approximate size in memory, which its window sets and which grows with further forms. */
  memory = 0;
  /** Tells the window how much the event has grown; null outside of a window. */
  onGrown: ((bytes: number) => void) | null = null;

  constructor(
    { userIds, exceptIds, ...event }: LoggedEvent,
    readonly type: EventType,
    /** The size of its body as JSON, if it is stored. */
    readonly bytes = 0,
  ) {
    this.event = event;
    this.listed = ascending(userIds);
    this.#excepted = ascending(exceptIds);
  }

  get position(): number {
    return this.event.position;
  }

  /** UNIX milliseconds. */
  get storedAt(): number {
    return this.event.storedAt.getTime();
  }

  /** Why the event ends the sign-in of an account, or its queue; null if it does not. */
  endOf(
    { userId, keyGeneration }: QueueOwner,
    { startPosition }: Pick<EventQueue, 'startPosition'>,
  ): 'key' | 'deactivation' | 'removed' | null {
    const { type, body } = this.event;
    if (type !== SIGNED_OUT || !hasId(this.listed, userId)) return null;
    // An account that is active again has queues that start behind its deactivation.
    const isAfterStart = this.position > startPosition;
    switch (body['reason']) {
      case 'key':
        return body['keyGeneration'] === keyGeneration ? 'key' : null;
      case 'deactivation':
        return isAfterStart ? 'deactivation' : null;
      case 'queues':
        return isAfterStart ? 'removed' : null;
      default:
        return null;
    }
  }

  /** Whether the account belongs to the audience, and the queue wants the event and has a form of it. */
  isFor({ userId, isGuest }: QueueOwner, options: QueueOptions): boolean {
    const { type, body } = this.event;
    if (type === SIGNED_OUT) return false;
    if (!wantsType(options, type)) return false;
    if (!this.#isInAudience(userId, isGuest, options)) return false;
    if (this.type.isFor?.(body, { userId, options, flags: this.flagsOf(userId) }) === false) {
      return false;
    }
    return this.countFor(options) > 0;
  }

  #isInAudience(userId: number, isGuest: boolean, options: QueueOptions): boolean {
    const { scope } = this.event;
    if (hasId(this.#excepted, userId)) return false;
    if (scope === eventScopes.all) return true;
    if (scope === eventScopes.members && !isGuest) return true;
    if (scope === eventScopes.publicListeners && options.allPublicStreams && !isGuest) return true;
    return hasId(this.listed, userId);
  }

  /** The flags of the event for an account; empty without any. */
  flagsOf(userId: number): readonly string[] {
    this.#flags ??= new Map(
      (this.event.flags ?? []).flatMap(({ flags, userIds }) =>
        userIds.map((id) => [id, flags] as const),
      ),
    );
    return this.#flags.get(userId) ?? NO_FLAGS;
  }

  /** The number of forms, mostly without making their texts. */
  countFor(options: QueueOptions): number {
    return this.type.formsOf === undefined ? 1 : this.formsFor(options).length;
  }

  /**
   * The JSON objects that a queue with these options gets, without their closing braces: ids and flags differ for each
   * queue.
   */
  formsFor(options: QueueOptions): readonly string[] {
    const key = formKeyOf(options);
    let forms = this.#forms.get(key);
    if (forms === undefined) {
      const { type, body } = this.event;
      forms = openForms(type, this.type.formsOf?.(body, options) ?? [body]);
      let grownBy = 0;
      if (this.#forms.size >= MAX_KEPT_FORMS) {
        this.#forms.clear();
        grownBy -= this.#furtherCharacters;
      }
      if (this.#forms.size > 0) for (const { length } of forms) grownBy += length;
      this.#forms.set(key, forms);
      if (grownBy !== 0) this.#grow(grownBy);
    }
    return forms;
  }

  #grow(characters: number): void {
    this.#furtherCharacters += characters;
    this.memory += characters;
    this.onGrown?.(characters);
  }
}

const NO_IDS = new Int32Array(0);

/**
 * An Int32Array takes four bytes for each account; an array and a set take about thirty. A window may list millions of
 * accounts.
 */
const ascending = (ids: readonly number[]): Int32Array =>
  ids.length === 0 ? NO_IDS : Int32Array.from(ids).toSorted();

/** Whether the ascending `ids` include `wanted`. */
function hasId(ids: Int32Array, wanted: number): boolean {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const id = ids[middle] ?? 0;
    if (id === wanted) return true;
    if (id < wanted) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** The JSON texts of the forms of an event, without their closing braces. */
export const openForms = (type: string, forms: readonly object[]): readonly string[] =>
  forms.slice(0, MAX_FORMS).map((form) => JSON.stringify({ type, ...form }).slice(0, -1));

/** The declared event types by name. */
export const typesByName = (types: readonly EventType[]): ReadonlyMap<string, EventType> =>
  new Map(types.map((type) => [type.type, type]));
