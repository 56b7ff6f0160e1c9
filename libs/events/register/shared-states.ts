import { MEBIBYTE } from '#platform/contracts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type EventHead, EventRepository, LogRestorations } from '#events/log';
import type { Session } from '#platform/database';
import { jsonInSlices, SharedText } from '#platform/http';
import type { SharedMembers } from '#events/declarations';

/**
 * Smaller members are read for each registration, unless they say that this is costly: those of 150 accounts take a few
 * milliseconds, and the cache would be full of small organisations.
 */
const SMALLEST_BYTES = 65_536;
/** With their compressed bytes: about 20 organisations of 10,000 accounts. */
const MAX_BYTES = 128 * MEBIBYTE;
/** Compressed members have less than a third of the bytes. */
const COMPRESSED_SHARE = 1 / 3;
/** The objects and the key of an entry, without its text. */
const ENTRY_BYTES = 500;
/** Beyond these numbers of events, reading the members takes no longer than looking for their changes. */
const MAX_POSITIONS = { ofLarge: 10_000, ofSmall: 1000 };
/** Members without a registration for this time are forgotten. Events are kept for much longer. */
const UNUSED_MS = 3_600_000;

type Members = Awaited<ReturnType<SharedMembers['read']>>;

interface Shared {
  readonly text: SharedText;
  /** The members are those of this event. */
  head: EventHead;
}

/** The snapshot of a registration. */
export interface Snapshot {
  readonly realmId: number;
  readonly session: Session;
  /** The newest event in it. */
  readonly head: EventHead;
}

/**
 * The large or costly members of states as JSON bytes. With 10,000 accounts, reading them takes 150 ms of CPU for each
 * registration. The log shows exactly whether they are current: no change is without its event.
 */
@Injectable()
export class SharedStates {
  readonly #states = new LRUCache<string, Shared>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text }) => ENTRY_BYTES + Math.ceil(text.length * (1 + COMPRESSED_SHARE)),
    ttl: UNUSED_MS,
    updateAgeOnGet: true,
  });
  /** The reads that run, so that registrations of the same moment read once. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(
    private readonly events: EventRepository,
    restorations: LogRestorations,
  ) {
    // Clears the states of all organisations: restorations are rare, and later registrations read the members again.
    restorations.onRestored(() => this.#states.clear());
  }

  /** The members as shared bytes, or as an object if they are small and not costly. */
  async of(snapshot: Snapshot, members: SharedMembers): Promise<SharedText | Members> {
    const key = `${snapshot.realmId} ${members.key}`;
    const known = await this.#current(key, snapshot, members.changedBy);
    if (known !== null) return known;
    const running = this.#reading.get(key);
    if (running !== undefined) {
      await running;
      const read = await this.#current(key, snapshot, members.changedBy);
      if (read !== null) return read;
    }
    const reading = this.#read(key, snapshot, members);
    const settled = reading.catch(() => undefined);
    this.#reading.set(key, settled);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(key) === settled) this.#reading.delete(key);
    }
  }

  async #current(
    key: string,
    { realmId, session, head }: Snapshot,
    changedBy: readonly string[],
  ): Promise<SharedText | null> {
    const shared = this.#states.get(key);
    // The snapshot cannot see the events of a later state.
    if (shared === undefined || shared.head.position > head.position) return null;
    const isLarge = shared.text.length >= SMALLEST_BYTES;
    const maxPositions = isLarge ? MAX_POSITIONS.ofLarge : MAX_POSITIONS.ofSmall;
    if (head.position - shared.head.position > maxPositions) return null;
    if (shared.head.position === head.position)
      return isSame(shared.head, head) ? shared.text : null;
    const range = { ...shared.head, upTo: head.position };
    if (await this.events.hasEventsOf(session, realmId, changedBy, range)) return null;
    if (shared.head.position < head.position) shared.head = head;
    return shared.text;
  }

  async #read(
    key: string,
    { head }: Snapshot,
    { read, isCostly }: SharedMembers,
  ): Promise<SharedText | Members> {
    const members = await read();
    const json = await jsonInSlices(members);
    if (json.length < SMALLEST_BYTES && isCostly !== true) return members;
    const text = new SharedText(json);
    // Another registration may have stored a later state.
    if ((this.#states.peek(key)?.head.position ?? -1) <= head.position) {
      this.#states.set(key, { text, head });
    }
    return text;
  }
}

/** Whether two events at the same position are the same, as far as is known. */
const isSame = (one: EventHead, other: EventHead): boolean =>
  one.storedAt === null ||
  other.storedAt === null ||
  one.storedAt.getTime() === other.storedAt.getTime();
