import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ToleratedFailures, withinDeadline } from '#platform/core';
import type { PresenceCounters } from '#presence/metrics';
import {
  combineSources,
  lostEntries,
  type PresenceEntry,
  type PresenceTiming,
} from '#presence/rules';
import { type PresenceStore, type RealmSnapshot, RESTORE_LEASE_MS } from '#presence/store';

/** Loads the entries of a realm from PostgreSQL. Rejects when PostgreSQL is unavailable. */
export type LoadLastSeen = (realmId: number) => Promise<PresenceEntry[]>;

/** The state of a realm in this process. */
interface KnownState {
  /** The entries of the replica; null without a complete replica. */
  readonly replicated: Iterable<PresenceEntry> | null;
  /** Changes accepted by Redis that the replica does not have yet. */
  readonly unapplied: Iterable<PresenceEntry>;
}

/** A snapshot that has all expected entries, and the highest id that was served before it was read. */
export interface CompleteSnapshot {
  readonly snapshot: RealmSnapshot;
  readonly servedId: number;
}

/** A load waits at most this long for PostgreSQL, if the realm has a replica. */
const MAX_SAVED_WAIT_MS = 500;

/** Restoring races with other processes; more rounds than this indicate a defect. */
const MAX_ROUNDS = 5;

/** A load waits at most this long for other processes that restore the realm. */
const MAX_RESTORE_WAIT_MS = 15_000;

/** Redis has lost the realm while PostgreSQL is unavailable. The code marks it as an outage. */
class RealmUnavailable extends Error {
  override readonly name = 'RealmUnavailable';
  readonly code = 'STORAGE_AWAY';
}

/** Reads one realm from Redis, after restoring the entries that Redis has lost. */
export class RealmLoader {
  readonly #restorer: RealmRestorer;

  constructor(
    private readonly realmId: number,
    private readonly store: PresenceStore,
    private readonly loadLastSeen: LoadLastSeen,
    private readonly counters: PresenceCounters,
    private readonly timing: PresenceTiming,
  ) {
    this.#restorer = new RealmRestorer(realmId, store);
  }

  /**
   * The entries that Redis must have: those of this process and, `withLastSeen`, of PostgreSQL. Only PostgreSQL
   * has the changes of a process that stopped before the others got them. Null without a replica while PostgreSQL is
   * unavailable.
   */
  async expectedEntries(
    { replicated, unapplied }: KnownState,
    { withLastSeen }: { readonly withLastSeen: boolean },
  ): Promise<PresenceEntry[] | null> {
    const saved = withLastSeen ? await this.#lastSeen(replicated !== null) : [];
    if (replicated === null && saved === null) return null;
    return combineSources([saved ?? [], replicated ?? [], unapplied], this.timing);
  }

  /**
   * Restores the expected entries that Redis has lost, and resolves with a snapshot that has them all. Rejects when Redis is
   * unavailable, when neither Redis nor `expected` has the realm, and when another process takes too long to restore it.
   */
  async restoreAndRead(
    expected: readonly PresenceEntry[] | null,
    servedIdNow: () => number,
  ): Promise<CompleteSnapshot> {
    const untilMs = performance.now() + MAX_RESTORE_WAIT_MS;
    let round = 0;
    while (round < MAX_ROUNDS) {
      // Read first: ids that are served during the read are above the snapshot.
      const servedId = servedIdNow();
      const snapshot = await this.store.readSnapshot(this.realmId);
      const lost = this.#lostOf(expected, snapshot);
      if (snapshot !== null && lost.length === 0) return { snapshot, servedId };
      const restored = await this.#restorer.restore(servedId, lost, untilMs);
      if (restored === 'stored') this.counters.restored += lost.length;
      if (restored !== 'waited') round += 1;
    }
    throw new Error(
      `Redis lost entries of realm ${this.realmId} again in each of ${MAX_ROUNDS} attempts`,
    );
  }

  #lostOf(
    expected: readonly PresenceEntry[] | null,
    snapshot: RealmSnapshot | null,
  ): readonly PresenceEntry[] {
    if (snapshot !== null) return lostEntries(expected ?? [], snapshot, this.timing);
    if (expected === null) throw new RealmUnavailable('Neither Redis nor PostgreSQL has the realm');
    return expected;
  }

  /** Null when PostgreSQL is unavailable. */
  #lastSeen(hasMore: boolean): Promise<PresenceEntry[] | null> {
    const saved = this.loadLastSeen(this.realmId).catch((error: unknown) => {
      tolerated.record(error);
      return null;
    });
    return hasMore ? withinDeadline(MAX_SAVED_WAIT_MS, saved, () => null) : saved;
  }
}

/** Shared by all realms. */
const tolerated = new ToleratedFailures(RealmLoader.name);

/** A slice of this size blocks Redis for a few milliseconds. */
export const RESTORED_AT_ONCE = 1000;

/** The interval of checks whether another process has finished. */
const LOOK_EVERY_MS = 50;

/**
 * - `stored`: all entries were stored;
 * - `interrupted`: Redis has lost some of them, and the restoration must start again;
 * - `waited`: another process was restoring the realm and has finished or stopped. The lost entries must be determined
 *   again.
 */
type RestoreResult = 'stored' | 'interrupted' | 'waited';

/** Restores one realm in slices, unless another process is doing it. */
export class RealmRestorer {
  constructor(
    private readonly realmId: number,
    private readonly store: Pick<PresenceStore, 'restore' | 'readClaim'>,
  ) {}

  /**
   * Restores entries. If another process is restoring the realm, waits for it until `untilMs` of performance.now(), and then
   * rejects. Rejects when Redis is unavailable.
   */
  async restore(
    servedId: number,
    entries: readonly PresenceEntry[],
    untilMs: number,
  ): Promise<RestoreResult> {
    const claim = randomUUID();
    let offset = 0;
    do {
      const slice = entries.slice(offset, offset + RESTORED_AT_ONCE);
      const isLast = offset + slice.length >= entries.length;
      const place = { claim, offset, isLast };
      const outcome = await this.store.restore(this.realmId, servedId, slice, place);
      if (outcome === 'claimLost') return 'interrupted';
      if (outcome === 'busy') {
        await this.#waitForRelease(untilMs);
        return 'waited';
      }
      offset += slice.length;
    } while (offset < entries.length);
    return 'stored';
  }

  /** Waits until the claim is released, or has not been renewed for the length of the lease. */
  async #waitForRelease(untilMs: number): Promise<void> {
    let seen: string | null = null;
    let seenAtMs = performance.now();
    for (;;) {
      const claim = await this.store.readClaim(this.realmId);
      const nowMs = performance.now();
      if (claim !== seen) seenAtMs = nowMs;
      if (claim === null || nowMs - seenAtMs > RESTORE_LEASE_MS) return;
      if (nowMs > untilMs) throw new Error('Another process has not restored the realm in time');
      seen = claim;
      await delay(LOOK_EVERY_MS);
    }
  }
}
