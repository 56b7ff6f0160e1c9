import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { LuaScript, type RedisCommands } from '#platform/redis';
import {
  CLOCK_TOLERANCE_SECONDS,
  hiddenActiveSeconds,
  hiddenIdleSeconds,
  latestAcceptedAt,
  type PresenceChange,
  type PresenceEntry,
  type PresenceReport,
  type PresenceTiming,
  type RealmPosition,
} from '#presence/rules';
import { packReports, packRestored, readChanges, readEntry } from './packed.js';
import { keysOf, slotKeyOf } from './presence-keys.js';
import { ProcessMarks } from './process-marks.js';

/** The entries of a realm in Redis by user, and the position at which they were read. */
export interface RealmSnapshot extends RealmPosition {
  /** The latest time that Redis accepted at the snapshot, in UNIX seconds. Entries may have later times. */
  readonly latest: number;
  readonly entries: ReadonlyMap<number, PresenceEntry>;
}

/** The place of a slice in a restoration. */
interface RestoreSlice {
  /** The unique name of the restoration. */
  readonly claim: string;
  /** The number of entries in the earlier slices. */
  readonly offset: number;
  readonly isLast: boolean;
}

/** `busy`: another process is restoring the realm. `claimLost`: the restoration must start again. */
export type RestoreOutcome = 'stored' | 'busy' | 'claimLost';

/** The result of a batch of reports; `changes` continue each other without a gap. */
export interface ReportOutcome {
  readonly epoch: number;
  readonly isClockBehind: boolean;
  /** Reports with a time ahead of the clock of Redis, which was reduced. */
  readonly aheadReports: number;
  readonly changes: readonly PresenceChange[];
}

const reportScript = new LuaScript(import.meta.url, './publish.lua', './report.lua');
/** After this time without a slice, another process may restore the realm. */
export const RESTORE_LEASE_MS = 3000;

const restoreOutcomes: Readonly<Record<number, RestoreOutcome>> = {
  1: 'stored',
  0: 'busy',
  [-1]: 'claimLost',
};

const restoreScript = new LuaScript(import.meta.url, './publish.lua', './restore.lua');

const reportResult = z
  .tuple([z.number(), z.literal([0, 1]), z.number(), z.number(), z.number()])
  .rest(z.number())
  .or(z.tuple([]));
const META_FIELDS = ['epoch', 'top', 'chain'] as const;
const metaNumber = z.string().transform(Number).nullable();
const metaFields = z.tuple([metaNumber, metaNumber, metaNumber]);
const timeReply = z.tuple([z.coerce.number(), z.coerce.number()]);

/** An epoch is stored as u32. */
const MAX_EPOCH = 2 ** 32;

/**
 * The only reader and writer of the presence keys in Redis, besides ChangeFollower. Each method is one round trip. It
 * rejects when Redis is unavailable: at once without a connection, else within the time limit of the connection.
 */
export class PresenceStore {
  readonly #commonArguments: readonly string[];
  readonly #updateMinimumSeconds: string;
  readonly #marks: ProcessMarks;

  constructor(
    private readonly redis: RedisCommands,
    timing: PresenceTiming,
  ) {
    this.#commonArguments = [
      hiddenIdleSeconds(timing),
      hiddenActiveSeconds(timing),
      CLOCK_TOLERANCE_SECONDS,
    ].map(String);
    this.#marks = new ProcessMarks(redis);
    this.#updateMinimumSeconds = String(timing.updateMinimumSeconds);
  }

  /**
   * Merges reports into a realm in one atomic step. `servedId` is the highest update id that this process has served for
   * the realm. Resolves with null, and changes nothing, if the realm must be restored first.
   */
  async report(
    realmId: number,
    servedId: number,
    reports: readonly PresenceReport[],
  ): Promise<ReportOutcome | null> {
    const { entries, stream, meta } = keysOf(realmId);
    const result = await reportScript.run(
      this.redis,
      [entries, stream, meta],
      [
        String(servedId),
        ...this.#commonArguments,
        this.#updateMinimumSeconds,
        packReports(reports),
      ],
    );
    const [epoch, clockBehind, aheadReports = 0, previousId = 0, previousChain = 0, ...numbers] =
      reportResult.parse(result);
    if (epoch === undefined) return null;
    return {
      epoch,
      isClockBehind: clockBehind === 1,
      aheadReports,
      changes: readChanges({ previousId, previousChain }, numbers),
    };
  }

  /** Restores entries that Redis has lost, all of them or a slice; see `restore.lua`. */
  async restore(
    realmId: number,
    servedId: number,
    entries: readonly PresenceEntry[],
    slice: RestoreSlice = { claim: randomUUID(), offset: 0, isLast: true },
  ): Promise<RestoreOutcome> {
    const keys = keysOf(realmId);
    const result = await restoreScript.run(
      this.redis,
      [keys.entries, keys.stream, keys.meta],
      [
        String(servedId),
        ...this.#commonArguments,
        packRestored(entries),
        String(randomInt(1, MAX_EPOCH)),
        slice.claim,
        String(slice.offset),
        slice.isLast ? '1' : '0',
        String(RESTORE_LEASE_MS),
      ],
    );
    const outcome = restoreOutcomes[Number(result)];
    if (!outcome) throw new Error(`restore.lua returned the unknown result ${String(result)}`);
    return outcome;
  }

  /** The state of the claim to restore a realm; opaque, and different after each slice. Null without a claim. */
  async readClaim(realmId: number): Promise<string | null> {
    const [claim, until] = await this.redis.hmget(keysOf(realmId).meta, 'claim', 'claimUntil');
    return claim === null || claim === undefined ? null : `${claim} ${until}`;
  }

  /** A consistent snapshot of the realm; null if the realm must be restored. */
  async readSnapshot(realmId: number): Promise<RealmSnapshot | null> {
    const keys = keysOf(realmId);
    const replies = await this.redis
      .multi()
      .time()
      .hmget(keys.meta, ...META_FIELDS)
      .hgetallBuffer(keys.entries)
      .exec();
    const [clockReply, metaReply, entriesReply] = replies ?? [];
    const failure = clockReply?.[0] ?? metaReply?.[0] ?? entriesReply?.[0];
    if (failure) throw failure;
    const meta = readMeta(metaReply?.[1]);
    if (meta === null) return null;
    const packed = z.record(z.string(), z.instanceof(Buffer)).parse(entriesReply?.[1]);
    const entries = new Map<number, PresenceEntry>();
    for (const [user, entry] of Object.entries(packed)) {
      entries.set(Number(user), readEntry(Number(user), entry));
    }
    const [nowSeconds] = timeReply.parse(clockReply?.[1]);
    return { ...meta, latest: latestAcceptedAt(nowSeconds), entries };
  }

  /** Replaces the mark of this process in a shard; false if Redis has lost the previous one. See ProcessMarks. */
  replaceMark(shard: number): Promise<boolean> {
    return this.#marks.replace(shard);
  }

  /** The positions of realms of one shard, in the same order; null for a realm that must be restored. */
  async readMetas(shard: number, realmIds: readonly number[]): Promise<(RealmPosition | null)[]> {
    // Without realms, the call still checks whether Redis answers.
    if (realmIds.length === 0) await this.redis.exists(slotKeyOf(shard));
    // Not one pipeline: on a cluster, one failed command would fail all. They still share a round trip.
    const replies = await Promise.all(
      realmIds.map((realmId) => this.redis.hmget(keysOf(realmId).meta, ...META_FIELDS)),
    );
    return replies.map(readMeta);
  }
}

function readMeta(reply: unknown): RealmPosition | null {
  const [epoch, top, chain] = metaFields.parse(reply);
  // The scripts, too, treat a realm without these fields as lost.
  if (epoch === null || chain === null) return null;
  return { epoch, top: top ?? 0, chain };
}
