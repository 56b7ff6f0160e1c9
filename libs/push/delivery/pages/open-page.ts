import type { ApnsEnvironment, DeliveryState } from '#push/jobs';
import { type PlaceState, placeStates } from '#push/notifications';

/** The parts of the record of a delivery that decide what its page keeps. */
export interface PlaceOutcome {
  readonly deviceId: number;
  readonly state: DeliveryState;
  readonly mayBeShown: boolean;
  readonly reason: string | null;
  /** Apple's environment of the device, where the attempt has found it out. */
  readonly environment: ApnsEnvironment | null;
}

/** A place of a page that gets rows of its own when the page is closed. */
export interface OwnPlace {
  /** Beginning with 1. */
  readonly place: number;
  readonly notificationId: string;
  readonly mayBeShown: boolean;
  /** When it is due; null: when the lease of the page ends, because it is being sent. */
  readonly dueInSeconds: number | null;
}

/** A delivery of a page. */
export interface PagePlace {
  readonly page: OpenPage;
  readonly place: number;
}

/** The final states of a page. */
export interface PageClosing {
  readonly id: string;
  readonly states: string;
  readonly own: readonly OwnPlace[];
  /** Devices whose environment the attempts have found out. */
  readonly learnt: readonly PlaceOutcome[];
}

/** Writes the final states of a page. Resolves with false if another worker has closed it. */
export type ClosePage = (closing: PageClosing) => Promise<boolean>;

/** After this time without another outcome of a push, a page does not wait for its slowest deliveries. */
export const QUIET_MS = 250;
/** A page whose provider answers nothing is closed then. It must be shorter than the slack of a lease. */
export const MAX_OPEN_MS = 4000;

/**
 * A page that this worker has claimed. It collects the outcomes of its deliveries and is written once: when all have one, or
 * when the last ones take long, so that they hold up nobody else. These get rows of their own, and so do all that did not end in
 * an ordinary way.
 */
export class OpenPage {
  readonly #letters: string[];
  /** The places without an ordinary end, and when those are due that were not sent; null for others. */
  readonly #own = new Map<number, number | null>();
  readonly #learnt: PlaceOutcome[] = [];
  readonly #openedAt = performance.now();
  #left: number;
  #lastOutcomeAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout;
  #isClosing = false;
  #open!: (isOurs: Promise<boolean>) => void;
  /** Whether this worker has written the states. */
  readonly #closed = new Promise<boolean>((resolve) => (this.#open = resolve));

  constructor(
    private readonly id: string,
    /** The states of all places at the claim. */
    states: string,
    /** The ids of the notifications of its pending places, by place. */
    private readonly places: ReadonlyMap<number, string>,
    private readonly close: ClosePage,
  ) {
    this.#letters = [...states];
    this.#left = places.size;
    this.#closed.catch(() => undefined);
    this.#timer = this.#after(QUIET_MS);
  }

  /**
   * Keeps the outcome of a place. Resolves with true when it is written; with false when the delivery has rows of its own, and
   * the outcome is still to be recorded there. Rejects when PostgreSQL is down for long.
   */
  settle(place: number, outcome: PlaceOutcome): Promise<boolean> {
    const state = ordinaryStateOf(outcome);
    this.#lastOutcomeAt = performance.now();
    if (this.#isClosing || state === null) {
      this.#keep(place, null);
      return this.#closed.then(() => false);
    }
    this.#letters[place - 1] = state;
    if (outcome.environment !== null) this.#learnt.push(outcome);
    this.#count();
    return this.#closed;
  }

  /**
   * Gives rows of its own to a place that was not sent: it is due in this time. Resolves when they are written. That says nothing
   * about the provider: its first answer may take longer than the others after it.
   */
  async release(place: number, dueInSeconds: number): Promise<void> {
    this.#keep(place, dueInSeconds);
    await this.#closed;
  }

  #keep(place: number, dueInSeconds: number | null): void {
    if (this.#isClosing) return;
    this.#own.set(place, dueInSeconds);
    this.#count();
  }

  #count(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#close();
  }

  #after(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), milliseconds).unref();
  }

  /** Closes the page if its last deliveries take long, and looks again later otherwise: a timer for each outcome would cost more. */
  #look(): void {
    const now = performance.now();
    const closesAt = Math.min(this.#openedAt + MAX_OPEN_MS, this.#lastOutcomeAt + QUIET_MS);
    if (now >= closesAt) this.#close();
    else this.#timer = this.#after(Math.min(closesAt - now, QUIET_MS));
  }

  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearTimeout(this.#timer);
    this.#open(this.close(this.#closing()));
  }

  #closing(): PageClosing {
    const own: OwnPlace[] = [];
    for (const [place, notificationId] of this.places) {
      if (this.#letters[place - 1] !== placeStates.pending) continue;
      this.#letters[place - 1] = placeStates.own;
      const dueInSeconds = this.#own.get(place) ?? null;
      own.push({ place, notificationId, mayBeShown: dueInSeconds === null, dueInSeconds });
    }
    return { id: this.id, states: this.#letters.join(''), own, learnt: this.#learnt };
  }
}

/** The letter of an outcome that says everything; null for one that needs a row. */
function ordinaryStateOf({ state, mayBeShown, reason }: PlaceOutcome): PlaceState | null {
  // Only Apple's development environment says something about a delivered push.
  if (state === 'delivered') return reason === null ? placeStates.delivered : null;
  const isEnd = state === 'withdrawn' || state === 'expired' || state === 'revoked';
  return isEnd && !mayBeShown ? placeStates[state] : null;
}
