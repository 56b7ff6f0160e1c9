import { MEBIBYTE } from '#platform/contracts';
import type { EventType } from '#events/declarations';
import type { EventHead, LoggedEvent } from '#events/log';
import { WindowedEvent } from './windowed-event.js';

const MAX_EVENTS = 5000;
const MAX_BYTES = 16 * MEBIBYTE;
/** Measured with Node 20: an event besides its lists and texts, a listed account, and an account with flags. */
const EVENT_BYTES = 950;
const LISTED_BYTES = 4;
const FLAGGED_BYTES = 50;

/**
 * The newest events of one organisation in the memory of a gateway, up to 5,000 events or 16 MiB. Positions have no gaps,
 * so an event is found by its position.
 */
export class EventWindow {
  #events: WindowedEvent[] = [];
  #bytes = 0;
  #head: EventHead;

  /** `head` is the newest event, which is not in the window. */
  constructor(
    head: EventHead,
    private readonly types: ReadonlyMap<string, EventType>,
  ) {
    this.#head = head;
  }

  /** The position of the newest known event. */
  get headPosition(): number {
    return this.#head.position;
  }

  /** The newest known event. */
  get head(): EventHead {
    return this.#head;
  }

  /** The window has all events after this position. */
  get base(): number {
    return this.headPosition - this.#events.length;
  }

  /** Its events, and their approximate size in memory. */
  get size(): { readonly events: number; readonly bytes: number } {
    return { events: this.#events.length, bytes: this.#bytes };
  }

  /** Adds the next events in order, and returns them. Events that the window has are ignored. */
  add(events: readonly LoggedEvent[]): WindowedEvent[] {
    const added: WindowedEvent[] = [];
    for (const event of events) {
      if (event.position !== this.headPosition + 1) continue;
      const bodyBytes = JSON.stringify(event.body).length;
      const windowed = this.wrap(event, bodyBytes);
      this.#events.push(windowed);
      windowed.memory = bytesOf(event, bodyBytes);
      windowed.onGrown = this.#onGrown;
      this.#bytes += windowed.memory;
      this.#head = { position: event.position, storedAt: event.storedAt };
      added.push(windowed);
    }
    this.#trim();
    return added;
  }

  /** An event with its declared type, and the size of its body; does not add it. */
  wrap(event: LoggedEvent, bytes: number): WindowedEvent {
    return new WindowedEvent(event, this.types.get(event.type) ?? { type: event.type }, bytes);
  }

  /** The events after a position, which is at least `base`. */
  after(position: number): WindowedEvent[] {
    return this.#events.slice(Math.max(0, position - this.base));
  }

  /** One account can make a window large by queues that get forms of their own. */
  readonly #onGrown = (bytes: number): void => {
    this.#bytes += bytes;
    this.#trim();
  };

  /** Keeps the newest events that fit. */
  #trim(): void {
    let excess = 0;
    for (const event of this.#events) {
      if (this.#events.length - excess <= MAX_EVENTS && this.#bytes <= MAX_BYTES) break;
      event.onGrown = null;
      this.#bytes -= event.memory;
      excess += 1;
    }
    if (excess > 0) this.#events.splice(0, excess);
  }
}

/** Counts the body twice: as an object, and as the text of one form. */
function bytesOf({ userIds, exceptIds, flags }: LoggedEvent, bodyBytes: number): number {
  let flagged = 0;
  for (const { userIds: ids } of flags ?? []) flagged += ids.length;
  return (
    EVENT_BYTES +
    2 * bodyBytes +
    LISTED_BYTES * (userIds.length + exceptIds.length) +
    FLAGGED_BYTES * flagged
  );
}
