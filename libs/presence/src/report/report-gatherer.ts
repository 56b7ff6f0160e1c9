import { Logger } from '@nestjs/common';
import { type Clock, systemClock, withinDeadline } from '#core';
import type { PresenceCounters } from '../presence-counters.js';
import type { RealmPresence } from '../realm/realm-presence.js';
import { shardOf, shards } from '../redis/presence-keys.js';
import { latestAcceptedAt, reportUpTo } from '../state/clock.rules.js';
import type { PresenceReport } from '../state/merge.rules.js';
import { HeldReports } from './held-reports.js';

/** A batch of this many is written without waiting for more. */
const FULL_BATCH = 32;

/** A caller waits no longer than this for its own change to appear in the mirror. */
const OWN_CHANGE_WAIT_MS = 50;

/** Reports held while Redis was away are written in slices of this size. */
const HELD_SLICE = 500;

interface Batch {
  readonly realm: RealmPresence;
  readonly reports: PresenceReport[];
  /** Called when the batch is in the mirror, or when waiting for that has been given up. */
  readonly whenSettled: (() => void)[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Gathers the reports of a few milliseconds into one call to Redis per realm, and holds them while
 * Redis is away. No report ever fails for the one who made it.
 */
export class ReportGatherer {
  readonly #batches = new Map<number, Batch>();
  readonly #held = new HeldReports();
  readonly #underWay = new Set<Promise<number>>();
  readonly #logger = new Logger(ReportGatherer.name);
  /** The shards whose server does not answer, with since when. */
  readonly #awaySinceMs = new Map<number, number>();

  constructor(
    private readonly batchMs: number,
    private readonly realmOf: (realmId: number) => RealmPresence,
    private readonly counters: PresenceCounters,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Reports held back while Redis is away, as a number of users. */
  get heldUsers(): number {
    return this.#held.size;
  }

  /** Whether Redis failed, for a realm or for any, and has not answered since. */
  isRedisAway(realmId?: number): boolean {
    return realmId === undefined
      ? this.#awaySinceMs.size > 0
      : this.#awaySinceMs.has(shardOf(realmId));
  }

  /** For how long that has been, somewhere; 0 while it is nowhere. */
  get awayMs(): number {
    const now = performance.now();
    return Math.max(0, ...[...this.#awaySinceMs.values()].map((since) => now - since));
  }

  /** Resolves when the mirror has what the report changed, or soon after when it cannot have it. */
  async submit(realm: RealmPresence, report: PresenceReport): Promise<void> {
    if (realm.isUnchangedBy(report)) {
      this.counters.suppressed += 1;
      return;
    }
    if (this.isRedisAway(realm.realmId)) {
      this.#hold(realm, [report]);
      return;
    }
    const batch = this.#batches.get(realm.realmId) ?? this.#open(realm);
    batch.reports.push(report);
    await new Promise<void>((resolve) => {
      batch.whenSettled.push(resolve);
      if (batch.reports.length >= FULL_BATCH) this.#dispatch(batch);
    });
  }

  /** Redis does not answer for some shards: their reports are held from now on. */
  redisIsAway(error: unknown, ofShards: readonly number[] = shards): void {
    for (const shard of ofShards) this.#goAway(shard, error);
  }

  /** Redis answers for some shards: writes what was held for them. */
  async redisIsBack(ofShards: readonly number[] = shards): Promise<void> {
    const wasAway = this.isRedisAway();
    for (const shard of ofShards) this.#awaySinceMs.delete(shard);
    if (wasAway && !this.isRedisAway()) this.#logger.log('Reports are written again');
    if (this.#held.size === 0) return;
    const isBack = (realmId: number) => ofShards.includes(shardOf(realmId));
    for (const { realmId, reports } of this.#held.take(isBack)) {
      for (let start = 0; start < reports.length; start += HELD_SLICE) {
        await this.#write(this.realmOf(realmId), reports.slice(start, start + HELD_SLICE));
      }
    }
  }

  /** Writes what is gathered; resolves when nothing is under way. */
  async drain(): Promise<void> {
    for (const batch of this.#batches.values()) this.#dispatch(batch);
    await Promise.all(this.#underWay);
  }

  #open(realm: RealmPresence): Batch {
    const batch: Batch = {
      realm,
      reports: [],
      whenSettled: [],
      timer: setTimeout(() => this.#dispatch(batch), this.batchMs),
    };
    this.#batches.set(realm.realmId, batch);
    return batch;
  }

  #dispatch(batch: Batch): void {
    clearTimeout(batch.timer);
    this.#batches.delete(batch.realm.realmId);
    const written = this.#write(batch.realm, batch.reports);
    this.#underWay.add(written);
    void written.finally(() => this.#underWay.delete(written));
    const seen = written.then((lastId) => batch.realm.untilPosition(lastId));
    void withinDeadline(OWN_CHANGE_WAIT_MS, seen, () => undefined).then(() => {
      for (const settle of batch.whenSettled) settle();
    });
  }

  async #write(realm: RealmPresence, reports: readonly PresenceReport[]): Promise<number> {
    this.counters.batchReports.observe(reports.length);
    try {
      return await realm.write(reports);
    } catch (error) {
      // Whether Redis took the reports or not: writing them again does no harm.
      this.#goAway(shardOf(realm.realmId), error);
      this.#hold(realm, reports);
      return 0;
    }
  }

  /** One entry of the log when it begins, not one a report. */
  #goAway(shard: number, error: unknown): void {
    if (!this.isRedisAway()) this.#logger.warn(`Reports are held back: ${String(error)}`);
    if (!this.#awaySinceMs.has(shard)) this.#awaySinceMs.set(shard, performance.now());
  }

  #hold(realm: RealmPresence, reports: readonly PresenceReport[]): void {
    // Redis is not there to compare with its clock, and what is held is saved under an id made of its time.
    const latest = latestAcceptedAt(this.clock() / 1000);
    for (const reported of reports) {
      const report = reportUpTo(reported, latest);
      if (!this.#held.hold(realm.realmId, report)) this.counters.heldDropped += 1;
      const seen = this.#held.seenOf(realm.realmId, report.userId);
      // Else it would be gone with this process.
      if (seen) realm.saveHeld(seen);
    }
  }
}
