import { Logger } from '@nestjs/common';
import {
  type Clock,
  errorText,
  ToleratedFailures,
  systemClock,
  withinDeadline,
  slicesOf,
} from '#platform/core';
import type { PresenceCounters } from '#presence/metrics';
import type { RealmPresence } from '#presence/replica';
import { latestAcceptedAt, type PresenceReport, clampReport } from '#presence/rules';
import { shardOf, shards } from '#presence/store';
import { BufferedReports } from './buffered-reports.js';

/** A batch of this size is written at once. */
const FULL_BATCH = 32;

/** A caller waits at most this long for Redis to accept its change. From then on every answer to the caller contains it. */
const ACCEPTANCE_WAIT_MS = 500;

/** Then it waits at most this long for the replica. Without the change there, an answer cannot be shared. */
const REPLICA_WAIT_MS = 50;

/** Reports buffered while Redis was unavailable are written in slices of this size. */
const BUFFERED_SLICE = 500;

interface Batch {
  readonly realm: RealmPresence;
  readonly reports: PresenceReport[];
  /** Called when the replica has the batch, or after one of the limits. */
  readonly whenSettled: (() => void)[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Batches the reports of a few milliseconds into one call to Redis per realm, and buffers them while Redis is unavailable.
 * Submitting a report never fails. `batched` does not fit: a report may wait for Redis longer than its caller for the
 * acceptance, and reports of an outage are merged.
 */
export class ReportBatcher {
  readonly #batches = new Map<number, Batch>();
  readonly #buffered = new BufferedReports();
  readonly #inFlight = new Set<Promise<number>>();
  readonly #logger = new Logger(ReportBatcher.name);
  readonly #tolerated = new ToleratedFailures(ReportBatcher.name);
  /** The shards whose server does not answer, with the time of the first failure. */
  readonly #downSinceMs = new Map<number, number>();
  /** The calls of `onRedisUp` that have not ended. */
  #bufferedWrites = 0;
  #isOutageLogged = false;

  constructor(
    private readonly batchMs: number,
    private readonly realmOf: (realmId: number) => RealmPresence,
    private readonly counters: PresenceCounters,
    private readonly clock: Clock = systemClock,
  ) {}

  /** The number of users with buffered reports. */
  get bufferedUsers(): number {
    return this.#buffered.size;
  }

  /** Whether Redis is unavailable for a realm, or for any realm. */
  isRedisDown(realmId?: number): boolean {
    return realmId === undefined
      ? this.#downSinceMs.size > 0
      : this.#downSinceMs.has(shardOf(realmId));
  }

  /** The longest outage of a shard; 0 without an outage. */
  get downMs(): number {
    const now = performance.now();
    return Math.max(0, ...[...this.#downSinceMs.values()].map((since) => now - since));
  }

  /**
   * Resolves when the replica has the change of the report. Shortly after Redis has accepted the change, and if Redis takes
   * too long, it resolves without.
   */
  async submit(realm: RealmPresence, report: PresenceReport): Promise<void> {
    if (realm.isUnchangedBy(report)) {
      this.counters.suppressed += 1;
      return;
    }
    if (this.isRedisDown(realm.realmId)) {
      this.#buffer(realm, [report]);
      return;
    }
    const batch = this.#batches.get(realm.realmId) ?? this.#openBatch(realm);
    batch.reports.push(report);
    await new Promise<void>((resolve) => {
      batch.whenSettled.push(resolve);
      if (batch.reports.length >= FULL_BATCH) this.#dispatch(batch);
    });
  }

  /** Redis does not answer for some shards: their reports are buffered from now on. */
  onRedisDown(error: unknown, ofShards: readonly number[] = shards): void {
    for (const shard of ofShards) this.#markDown(shard, error);
  }

  /** Redis answers for some shards: writes their buffered reports. It may still refuse writes, and so end no outage. */
  async onRedisUp(ofShards: readonly number[] = shards): Promise<void> {
    for (const shard of ofShards) this.#downSinceMs.delete(shard);
    this.#bufferedWrites += 1;
    await this.#writeBuffered(ofShards);
    this.#bufferedWrites -= 1;
    if (!this.#isOutageLogged || this.#bufferedWrites > 0 || this.isRedisDown()) return;
    this.#isOutageLogged = false;
    this.#logger.log('Reports are written again');
  }

  async #writeBuffered(ofShards: readonly number[]): Promise<void> {
    if (this.#buffered.size === 0) return;
    const isUp = (realmId: number) => ofShards.includes(shardOf(realmId));
    for (const { realmId, reports } of this.#buffered.take(isUp)) {
      for (const slice of slicesOf(reports, BUFFERED_SLICE)) {
        await this.#write(this.realmOf(realmId), slice);
      }
    }
  }

  /** Writes the open batches; resolves when no write is in flight. */
  async drain(): Promise<void> {
    for (const batch of this.#batches.values()) this.#dispatch(batch);
    await Promise.all(this.#inFlight);
  }

  #openBatch(realm: RealmPresence): Batch {
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
    this.#inFlight.add(written);
    void written.finally(() => this.#inFlight.delete(written));
    void this.#untilReplicated(batch.realm, written).then(() => {
      for (const settle of batch.whenSettled) settle();
    });
  }

  async #untilReplicated(realm: RealmPresence, written: Promise<number>): Promise<void> {
    const lastId = await withinDeadline(ACCEPTANCE_WAIT_MS, written, () => 0);
    await withinDeadline(REPLICA_WAIT_MS, realm.waitForPosition(lastId), () => undefined);
  }

  async #write(realm: RealmPresence, reports: readonly PresenceReport[]): Promise<number> {
    this.counters.batchReports.observe(reports.length);
    try {
      return await realm.write(reports);
    } catch (error) {
      // Redis may have stored the reports; writing them again is harmless.
      this.#markDown(shardOf(realm.realmId), error);
      this.#buffer(realm, reports);
      return 0;
    }
  }

  /** Logs an outage once, not once per report or per attempt to write the buffered reports. */
  #markDown(shard: number, error: unknown): void {
    this.#tolerated.record(error);
    if (!this.#isOutageLogged) {
      this.#logger.warn(`Redis is down, reports are buffered: ${errorText(error)}`);
    }
    this.#isOutageLogged = true;
    if (!this.#downSinceMs.has(shard)) this.#downSinceMs.set(shard, performance.now());
  }

  #buffer(realm: RealmPresence, reports: readonly PresenceReport[]): void {
    // Without the clock of Redis, the local clock bounds the time, because the id of a saved report contains it.
    const latest = latestAcceptedAt(this.clock() / 1000);
    for (const reported of reports) {
      const report = clampReport(reported, latest);
      if (!this.#buffered.add(realm.realmId, report)) this.counters.bufferDropped += 1;
      const seen = this.#buffered.seenOf(realm.realmId, report.userId);
      // Otherwise the report would be lost with this process.
      if (seen) realm.saveBuffered(seen);
    }
  }
}
