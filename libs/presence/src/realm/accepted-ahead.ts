import type { PresenceTiming } from '#contracts';
import type { Mirror } from '../mirror/mirror.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { combineEntries, isLost } from '../state/reconcile.rules.js';

/** Accepted changes that the mirror does not have yet: others wrote in between, or it was being read. */
export class AcceptedAhead {
  readonly #entries = new Map<number, PresenceEntry>();

  constructor(private readonly timing: PresenceTiming) {}

  get size(): number {
    return this.#entries.size;
  }

  /** 0 without any. */
  get highestId(): number {
    // No spread of all entries: a call takes some 125,000 arguments at most.
    let highestId = 0;
    for (const { id } of this.#entries.values()) highestId = Math.max(highestId, id);
    return highestId;
  }

  add(entry: PresenceEntry): void {
    const known = this.#entries.get(entry.userId);
    this.#entries.set(entry.userId, combineEntries(entry, known, this.timing));
  }

  get(userId: number): PresenceEntry | undefined {
    return this.#entries.get(userId);
  }

  entries(): Iterable<PresenceEntry> {
    return this.#entries.values();
  }

  /** Forgets what the mirror has by now. Returns whether it has passed over something, which has then been lost. */
  settle(mirror: Mirror | undefined): boolean {
    let isOneLost = false;
    for (const [userId, entry] of this.#entries) {
      if (!isLost(entry, mirror?.get(userId), this.timing)) this.#entries.delete(userId);
      else if (entry.id <= (mirror?.position ?? 0)) isOneLost = true;
    }
    return isOneLost;
  }
}
