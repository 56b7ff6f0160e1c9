import type { PresenceTiming } from '#contracts';
import { withinDeadline } from '#core';
import { ServedRevisions } from '../answer/served-revisions.js';
import { activationChanges } from '../directory/activation.rules.js';
import type { UserDirectory } from '../directory/user-directory.js';
import type { LoadReason, PresenceCounters } from '../presence-counters.js';
import { Mirror } from '../mirror/mirror.js';
import { MirrorLag } from '../observe/mirror-lag.js';
import type { PresenceStore, RealmMeta, ReportOutcome } from '../redis/presence.store.js';
import { heldEntry } from '../report/held-entry.rules.js';
import { isAheadOf, latestAcceptedAt, timesUpTo } from '../state/clock.rules.js';
import { applyReport, type PresenceReport } from '../state/merge.rules.js';
import type { PresenceChange, PresenceEntry } from '../state/presence-entry.js';
import { buriedUsers, lostEntries } from '../state/reconcile.rules.js';
import { AcceptedAhead } from './accepted-ahead.js';
import { type LoadLastSeen, RealmLoader, type SettledSnapshot } from './realm-loader.js';
import { PositionWaiters } from './position-waiters.js';
import { Veils } from './veils.js';

/** Told of every change that this process had accepted or holds, and of what PostgreSQL lacked at the first load. */
export type OnUnsaved = (realmId: number, entry: PresenceEntry) => void;

/** Whoever asks does not wait longer than this for a mirror; they are answered without. */
const MOST_LOAD_WAIT_MS = 500;

/** A mirror that trails what was answered before is waited for so long at most. */
const MOST_CATCH_UP_MS = 500;

/** Changes of the directory are written in slices of this size. */
const DIRECTORY_SLICE = 500;

/** One realm: its mirror, kept whole, and the way of its reports into Redis. */
export class RealmPresence {
  #mirror: Mirror | undefined;
  #servedId = 0;
  /** Where the mirror was that the last answers were made from. */
  #leastId = 0;
  #savedHeldId = 0;
  #reloading: Promise<void> | undefined;
  /** What the accounts of the realm were answered from. */
  readonly served = new ServedRevisions();
  readonly #lag = new MirrorLag();
  readonly #loader: RealmLoader;
  readonly #ahead: AcceptedAhead;
  /** Users whose entries some client would never be told of, until they have got a new id. */
  readonly #buried = new Set<number>();
  readonly #veils: Veils;
  readonly #waiters = new PositionWaiters();

  constructor(
    readonly realmId: number,
    private readonly store: PresenceStore,
    loadLastSeen: LoadLastSeen,
    private readonly onUnsaved: OnUnsaved,
    private readonly counters: PresenceCounters,
    private readonly timing: PresenceTiming,
  ) {
    this.#loader = new RealmLoader(realmId, store, loadLastSeen, counters, timing);
    this.#ahead = new AcceptedAhead(timing);
    this.#veils = new Veils(timing);
  }

  /** Where the mirror's stream goes on; null while there is nothing to continue. */
  get position(): number | null {
    return this.#mirror?.isProven === true ? this.#mirror.position : null;
  }

  /** How long the mirror has been without something that Redis has, as far as the checks know. */
  get lagMs(): number {
    const position = this.position;
    return position === null ? 0 : this.#lag.lagMs(position, performance.now());
  }

  /** Whether Redis has all that is known here, as far as that is known; else it is worth keeping. */
  get isAtRest(): boolean {
    const waiting = this.#ahead.size + this.#buried.size + this.#veils.waiting.length;
    return this.#reloading === undefined && waiting === 0 && this.#mirror?.isProven !== false;
  }

  /** Undefined until a first load has ended, well or not. */
  get mirror(): Mirror | undefined {
    return this.#mirror;
  }

  /**
   * The mirror, once it has at least what was answered from before: one that was just read anew may trail the former
   * one for a moment. Never rejects. Does not wait for ids that Redis has lost for good.
   */
  async current(): Promise<Mirror | undefined> {
    if (this.#mirror?.isProven === true && this.#mirror.position < this.#leastId) {
      await withinDeadline(MOST_CATCH_UP_MS, this.untilPosition(this.#leastId), () => undefined);
      this.#leastId = Math.min(this.#leastId, this.#mirror.position);
    }
    return this.#mirror;
  }

  /** The entry of a user as it is shown, where Redis has accepted one that the mirror does not have yet. */
  acceptedAhead(userId: number): PresenceEntry | undefined {
    const entry = this.#ahead.get(userId);
    return entry && this.#veils.shown(entry);
  }

  /** Whether the mirror can tell that a report changes nothing, so that Redis need not be asked. */
  isUnchangedBy(report: PresenceReport): boolean {
    if (this.#mirror?.isProven !== true || report.kind !== 'merge') return false;
    const stored = this.#mirror.get(report.userId);
    // Whether the stored times or the report's are right, the clock of Redis decides.
    if (stored && isAheadOf(stored, latestAcceptedAt(report.idleAt))) return false;
    return applyReport(stored, report, this.timing) === null;
  }

  /** Resolves when there is a mirror, whatever it is worth; many callers share one load. */
  async load(): Promise<void> {
    if (this.#mirror) return;
    // A load that failed has left a makeshift; the periodic check tries again.
    await this.reload('first').catch(() => undefined);
  }

  /** Resolves when there is a mirror, or soon when there is none yet. */
  ready(): Promise<void> {
    return withinDeadline(MOST_LOAD_WAIT_MS, this.load(), () => undefined);
  }

  /** Has saved when somebody was seen of whom Redis cannot be told now. */
  saveHeld(seen: PresenceReport): void {
    const aboveId = Math.max(this.#mirror?.position ?? 0, this.#savedHeldId);
    const entry = heldEntry(this.#mirror?.get(seen.userId), seen, aboveId, this.timing);
    if (entry === null) return;
    this.#savedHeldId = entry.id;
    this.onUnsaved(this.realmId, entry);
  }

  /** Goes by a `show` or `hide` from now on, also while Redis cannot be told. */
  noteVisibility(change: PresenceReport): void {
    this.#veils.note(change, this.#mirror?.get(change.userId));
    this.#mirror?.showAnew(change.userId);
  }

  /**
   * Publishes who went out of use and who came back. Nobody is left out of an answer before that has been published:
   * so it is a change like any other that they are told of again. Rejects when Redis is away.
   */
  async followDirectory(directory: Pick<UserDirectory, 'get' | 'deactivated'>): Promise<void> {
    if (this.#mirror?.isProven !== true) return;
    const changes = activationChanges(this.#mirror, directory);
    for (let start = 0; start < changes.length; start += DIRECTORY_SLICE) {
      await this.write(changes.slice(start, start + DIRECTORY_SLICE));
    }
  }

  /**
   * Writes reports to Redis, restoring the realm first if need be, and takes what came of it into the
   * mirror. Resolves with the last id allocated, 0 if none was; rejects when Redis is away.
   */
  async write(reports: readonly PresenceReport[]): Promise<number> {
    let outcome = await this.store.report(this.realmId, this.#servedId, reports);
    if (outcome === null) {
      await this.reload('lost');
      outcome = await this.store.report(this.realmId, this.#servedId, reports);
    }
    if (outcome === null) throw new Error('The realm was lost again while it was restored');
    this.#accept(outcome);
    return outcome.changes.at(-1)?.entry.id ?? 0;
  }

  /** Takes a change that came through the stream. */
  follow(change: PresenceChange): void {
    if (this.#mirror?.isProven !== true) return;
    if (this.#mirror.apply(change) === 'gap') void this.reload('gap').catch(() => undefined);
    else this.#moved();
  }

  /** Resolves when the mirror is complete up to `id`. Has no time limit of its own. */
  untilPosition(id: number): Promise<void> {
    return this.#waiters.until(id, this.#mirror?.position ?? 0);
  }

  /**
   * Compares the mirror with what Redis says, and reads it anew where they disagree. `knownId` is the
   * highest id that was known when Redis was asked: what was written since, Redis may have left out.
   */
  async check(meta: RealmMeta | null, knownId = this.highestKnown): Promise<void> {
    const mirror = this.#mirror;
    if (!mirror) {
      // What was accepted without a mirror is to be brought back from here, should Redis lose it.
      if (!this.isAtRest) await this.reload('first');
      return;
    }
    const isStuck =
      meta !== null && this.#lag.checked(meta.top, mirror.position, performance.now());
    const isWhole = meta?.epoch === mirror.epoch && meta.top >= knownId;
    if (isWhole && !isStuck) await this.#publishOwed();
    else if (mirror.isProven) await this.reload(isWhole ? 'gap' : 'lost');
    else await this.reload('first');
  }

  /**
   * Publishes what clients would never be told of otherwise, and what the process may be gone that was to publish it.
   * Rejects when Redis is away; the periodic check tries again.
   */
  async #publishOwed(): Promise<void> {
    const buried = [...this.#buried];
    const republished = buried
      .map((userId) => this.#mirror?.get(userId))
      .filter((entry) => entry !== undefined)
      .map((entry): PresenceReport => ({ ...entry, kind: 'republish' }));
    const reports = [...republished, ...this.#veils.waiting];
    if (reports.length > 0) {
      const outcome = await this.store.report(this.realmId, this.#servedId, reports);
      // Lost again: when it is restored their turn comes.
      if (outcome === null) return;
      this.#accept(outcome);
    }
    for (const userId of buried) this.#buried.delete(userId);
  }

  /** The last id that Redis is known to have had: below it, Redis has gone back. */
  get highestKnown(): number {
    return Math.max(this.#mirror?.position ?? 0, this.#ahead.highestId);
  }

  /** Reads the realm anew, restoring what Redis has lost; rejects when Redis is away. */
  reload(reason: LoadReason): Promise<void> {
    this.#reloading ??= this.#reload(reason).finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async #reload(reason: LoadReason): Promise<void> {
    this.counters.loads[reason] += 1;
    const isFirst = this.#mirror?.isProven !== true;
    const mirrored = this.#mirror?.isProven === true ? this.#mirror.entries() : null;
    const state = { mirrored, ahead: this.#ahead.entries() };
    const known = await this.#loader.known(state, mirrored === null || reason !== 'gap');
    try {
      await this.#adopt(await this.#loader.settle(known, () => this.#servedId));
      if (isFirst && known !== null) this.#catchUp(known);
    } finally {
      this.#mirror ??= Mirror.unproven(known ?? [], this.#showAs);
    }
  }

  /** Takes Redis's state as the mirror. */
  async #adopt({ snapshot, servedId }: SettledSnapshot): Promise<void> {
    const { epoch, top, latest, entries } = snapshot;
    const previous = this.#mirror;
    if (previous?.isProven === true && previous.epoch !== epoch) this.counters.epochChanges += 1;
    this.#mirror = Mirror.proven(epoch, top, entries.values(), this.#showAs);
    // Accepted since the snapshot was read: the stream brings it, unless Redis loses it before.
    const proven = previous?.isProven === true ? previous.entries() : [];
    const acceptable = proven.map((entry) => timesUpTo(entry, latest));
    for (const entry of lostEntries(acceptable, entries, this.timing)) this.#ahead.add(entry);
    this.#moved();
    const buried = buriedUsers(entries, (userId) => previous?.get(userId), servedId);
    for (const userId of buried) this.#buried.add(userId);
    // Publishing them again reduces their times.
    for (const entry of entries.values()) {
      if (isAheadOf(entry, latest)) this.#buried.add(entry.userId);
    }
    await this.#publishOwed();
  }

  /** Has brought to PostgreSQL what it lacks, as after a process was killed that was to bring it there. */
  #catchUp(saved: readonly PresenceEntry[]): void {
    const savedIds = new Map(saved.map(({ userId, id }) => [userId, id]));
    for (const entry of this.#mirror?.entries() ?? []) {
      if (entry.id > (savedIds.get(entry.userId) ?? 0)) this.onUnsaved(this.realmId, entry);
    }
  }

  #accept(outcome: ReportOutcome): void {
    this.counters.accepted += outcome.changes.length;
    if (outcome.isClockBehind) this.counters.clockBehind += 1;
    this.counters.aheadReports += outcome.aheadReports;
    for (const change of outcome.changes) {
      this.onUnsaved(this.realmId, change.entry);
      const applied = this.#mirror?.apply(change);
      // A gap closes by itself: another process wrote in between, and the stream brings both.
      if (applied === undefined || applied === 'gap') this.#ahead.add(change.entry);
    }
    this.#moved();
    if (this.#mirror && this.#mirror.epoch !== outcome.epoch) {
      void this.reload('lost').catch(() => undefined);
    }
  }

  readonly #showAs = (entry: PresenceEntry): PresenceEntry => this.#veils.over(entry);

  #moved(): void {
    const position = this.#mirror?.position ?? 0;
    this.#servedId = Math.max(this.#servedId, position);
    this.#leastId = Math.max(this.#leastId, position);
    // A change that was passed over has been lost.
    if (this.#ahead.settle(this.#mirror)) void this.reload('lost').catch(() => undefined);
    this.#waiters.moved(position);
  }
}
