import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { PresenceTiming } from '#contracts';
import type { RedisCommands } from '#redis';
import { CLOCK_TOLERANCE_SECONDS, latestAcceptedAt } from '../state/clock.rules.js';
import {
  hiddenActiveSeconds,
  hiddenIdleSeconds,
  type PresenceReport,
} from '../state/merge.rules.js';
import type { PresenceChange, PresenceEntry } from '../state/presence-entry.js';
import { LuaScript } from './lua-script.js';
import { packReports, packRestored, readEntry } from './packed.js';
import { keysOf, slotKeyOf } from './presence-keys.js';

/** What Redis says of a realm: the epoch that its state belongs to, and its last update id. */
export interface RealmMeta {
  readonly epoch: number;
  readonly top: number;
}

export interface RealmSnapshot extends RealmMeta {
  /** The latest time that Redis accepted when it was asked, in UNIX seconds; entries may have later ones. */
  readonly latest: number;
  readonly entries: ReadonlyMap<number, PresenceEntry>;
}

/** What came of a batch of reports; `changes` continue each other without a gap. */
export interface ReportOutcome {
  readonly epoch: number;
  readonly isClockBehind: boolean;
  /** Reports with a time ahead of the clock of Redis, which was reduced. */
  readonly aheadReports: number;
  readonly changes: readonly PresenceChange[];
}

const reportScript = new LuaScript('./publish.lua', './report.lua');
const restoreScript = new LuaScript('./publish.lua', './restore.lua');

const reportResult = z
  .tuple([z.number(), z.literal([0, 1]), z.number(), z.number()])
  .rest(z.number())
  .or(z.tuple([]));
const timeReply = z.tuple([z.coerce.number(), z.coerce.number()]);
const NUMBERS_PER_CHANGE = 7;

/** An epoch is stored as u32. */
const MOST_EPOCH = 2 ** 32;

/**
 * The presence keys in Redis, and the only one who touches them. Each method is one round trip.
 *
 * Every method rejects when Redis is away: at once without a connection, else within the time limit
 * of the connection.
 */
export class PresenceStore {
  readonly #commonArguments: readonly string[];
  readonly #updateMinimumSeconds: string;

  constructor(
    private readonly redis: RedisCommands,
    timing: PresenceTiming,
  ) {
    this.#commonArguments = [
      hiddenIdleSeconds(timing),
      hiddenActiveSeconds(timing),
      CLOCK_TOLERANCE_SECONDS,
    ].map(String);
    this.#updateMinimumSeconds = String(timing.updateMinimumSeconds);
  }

  /**
   * Merges reports into a realm in one atomic step. `servedId` is the highest update id that this
   * process has served for it. Resolves with null, nothing done, when the realm has to be restored.
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
    const [epoch, clockBehind, aheadReports, previousId, ...numbers] = reportResult.parse(result);
    if (epoch === undefined || aheadReports === undefined || previousId === undefined) return null;
    return {
      epoch,
      isClockBehind: clockBehind === 1,
      aheadReports,
      changes: readChanges(epoch, previousId, numbers),
    };
  }

  /** Brings back entries that Redis has lost; see `restore.lua`. */
  async restore(
    realmId: number,
    servedId: number,
    entries: readonly PresenceEntry[],
  ): Promise<void> {
    const keys = keysOf(realmId);
    await restoreScript.run(
      this.redis,
      [keys.entries, keys.stream, keys.meta],
      [
        String(servedId),
        ...this.#commonArguments,
        packRestored(entries),
        String(randomInt(1, MOST_EPOCH)),
      ],
    );
  }

  /** The whole realm as of one moment; null when it has to be restored. */
  async readSnapshot(realmId: number): Promise<RealmSnapshot | null> {
    const keys = keysOf(realmId);
    const replies = await this.redis
      .multi()
      .time()
      .hmget(keys.meta, 'epoch', 'top')
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

  /** The meta of realms of one shard, in their order; null where a realm has to be restored. */
  async readMetas(shard: number, realmIds: readonly number[]): Promise<(RealmMeta | null)[]> {
    // Sent also without any realm, so that it always tells whether Redis answers. The commands of one
    // moment share a round trip, but on a cluster none may share the fate of another.
    const [, ...replies] = await Promise.all([
      this.redis.exists(slotKeyOf(shard)),
      ...realmIds.map((realmId) => this.redis.hmget(keysOf(realmId).meta, 'epoch', 'top')),
    ]);
    return replies.map(readMeta);
  }
}

function readMeta(reply: unknown): RealmMeta | null {
  const [epoch, top] = z.tuple([z.string().nullable(), z.string().nullable()]).parse(reply);
  const meta = { epoch: Number(epoch), top: Number(top) };
  // What no script of ours has written counts as lost, as the scripts count it.
  return meta.epoch > 0 && meta.top >= 0 ? meta : null;
}

function readChanges(
  epoch: number,
  firstPreviousId: number,
  numbers: readonly number[],
): PresenceChange[] {
  const changes: PresenceChange[] = [];
  let previousId = firstPreviousId;
  for (let start = 0; start < numbers.length; start += NUMBERS_PER_CHANGE) {
    const [
      userId = 0,
      activeAt = 0,
      idleAt = 0,
      joinedAt = 0,
      hiddenAt = 0,
      deactivated = 0,
      id = 0,
    ] = numbers.slice(start, start + NUMBERS_PER_CHANGE);
    const isDeactivated = deactivated === 1;
    changes.push({
      entry: { userId, activeAt, idleAt, joinedAt, hiddenAt, isDeactivated, id },
      epoch,
      previousId,
    });
    previousId = id;
  }
  return changes;
}
