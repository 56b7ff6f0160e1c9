import { ToleratedFailures, withinDeadline } from '#platform/core';
import type { LoadReason, PresenceCounters } from '#presence/metrics';
import {
  bufferedEntry,
  changesNothing,
  lostEntries,
  newerEntries,
  type PresenceChange,
  type PresenceEntry,
  type PresenceReport,
  type PresenceTiming,
  type RealmPosition,
  usersToRepublish,
} from '#presence/rules';
import type { PresenceStore, ReportOutcome } from '#presence/store';
import { OnlineIds } from './online-ids.js';
import { type LoadLastSeen, RealmLoader, type CompleteSnapshot } from './realm-loader.js';
import { type ApplyResult, RealmReplica } from './realm-replica.js';
import { ReplicaLag, ReplicaProgress, ServedRevisions } from './replica-progress.js';
import { UnappliedChanges } from './unapplied-changes.js';
import { UnpublishedChanges } from './unpublished-changes.js';

/** A request waits at most this long for a replica, and is then answered without one. */
const MAX_LOAD_WAIT_MS = 500;

/** One realm: keeps its replica complete, and writes its reports to Redis. */
export class RealmPresence {
  #replica: RealmReplica | undefined;
  #savedBufferedId = 0;
  #reloading: Promise<void> | undefined;
  /** The revision that each account was last answered from. */
  readonly served = new ServedRevisions();
  readonly onlineIds: OnlineIds;
  readonly #lag = new ReplicaLag();
  readonly #loader: RealmLoader;
  readonly #progress = new ReplicaProgress();
  readonly #unapplied: UnappliedChanges;
  readonly #unpublished: UnpublishedChanges;

  constructor(
    readonly realmId: number,
    private readonly store: PresenceStore,
    loadLastSeen: LoadLastSeen,
    /** Called with every accepted or buffered change, and with the changes that PostgreSQL lacks at the first load. */
    private readonly onUnsaved: (realmId: number, entry: PresenceEntry) => void,
    private readonly counters: PresenceCounters,
    private readonly timing: PresenceTiming,
  ) {
    this.#loader = new RealmLoader(realmId, store, loadLastSeen, counters, timing);
    this.onlineIds = new OnlineIds(timing);
    this.#unapplied = new UnappliedChanges(timing);
    this.#unpublished = new UnpublishedChanges(timing);
  }

  /** The position after which the stream is read; null without a complete replica. */
  get position(): number | null {
    return this.#complete?.position ?? null;
  }

  /** How long the replica has lacked a change of Redis, according to the periodic checks. */
  get lagMs(): number {
    const position = this.position;
    return position === null ? 0 : this.#lag.lagMs(position, performance.now());
  }

  /** Whether Redis has the whole state of this process; otherwise the realm must stay in memory. */
  get isSynced(): boolean {
    const pending = this.#unapplied.size + this.#unpublished.size;
    return this.#reloading === undefined && pending === 0 && this.#replica?.isComplete !== false;
  }

  /** Whether the next check must include the realm, to repair it or to publish changes. */
  get needsCheck(): boolean {
    return !this.isSynced || this.lagMs > 0;
  }

  /** Undefined until the first load has succeeded or failed. */
  get replica(): RealmReplica | undefined {
    return this.#replica;
  }

  /** The replica, unless it is provisional: a provisional one says nothing about Redis. */
  get #complete(): RealmReplica | undefined {
    return this.#replica?.isComplete === true ? this.#replica : undefined;
  }

  /**
   * The replica, after it has caught up with earlier answers: a reloaded replica may be behind the previous one for a
   * moment. Waits for a limited time and never rejects.
   */
  async caughtUpReplica(): Promise<RealmReplica | undefined> {
    const { position } = this;
    if (position !== null && this.#progress.isBehind(position)) {
      await this.#progress.catchUp(() => this.#replica?.position ?? 0);
    }
    return this.#replica;
  }

  /** A change that Redis has accepted and the replica does not have yet, as it is shown. */
  unappliedChange(userId: number): PresenceEntry | undefined {
    const entry = this.#unapplied.get(userId);
    return entry && this.#unpublished.applyTo(entry);
  }

  /** Whether, according to the replica, a report changes nothing; then it need not be written to Redis. */
  isUnchangedBy(report: PresenceReport): boolean {
    const replica = this.#complete;
    return replica !== undefined && changesNothing(replica.get(report.userId), report, this.timing);
  }

  /** Resolves when the realm has a replica; it is provisional if the load failed. Callers share one load. */
  async load(): Promise<void> {
    if (this.#replica) return;
    await this.#tryReload('first');
  }

  /** Resolves when the realm has a replica, or after a short deadline. */
  ready(): Promise<void> {
    return withinDeadline(MAX_LOAD_WAIT_MS, this.load(), () => undefined);
  }

  /** Saves a report to PostgreSQL that Redis cannot take now. */
  saveBuffered(seen: PresenceReport): void {
    const aboveId = Math.max(this.#replica?.position ?? 0, this.#savedBufferedId);
    const entry = bufferedEntry(this.#replica?.get(seen.userId), seen, aboveId, this.timing);
    if (entry === null) return;
    this.#savedBufferedId = entry.id;
    this.onUnsaved(this.realmId, entry);
  }

  /** Applies a `show` or `hide` to answers at once, before Redis has it. */
  applyVisibility(change: PresenceReport): void {
    this.#unpublished.record(change, this.#replica?.get(change.userId));
    this.#replica?.refreshEntry(change.userId);
  }

  /**
   * Writes reports to Redis, after restoring the realm if necessary, and applies the changes to the replica. Resolves with
   * the last allocated id, or 0. Rejects when Redis is unavailable.
   */
  async write(reports: readonly PresenceReport[]): Promise<number> {
    let outcome = await this.#report(reports);
    if (outcome === null) {
      await this.reload('lost');
      outcome = await this.#report(reports);
    }
    if (outcome === null) throw new Error('The realm was lost again while it was restored');
    this.#applyOutcome(outcome);
    return outcome.changes.at(-1)?.entry.id ?? 0;
  }

  #report(reports: readonly PresenceReport[]): Promise<ReportOutcome | null> {
    return this.store.report(this.realmId, this.#progress.servedId, reports);
  }

  /** Applies a change from the stream. */
  follow(change: PresenceChange): void {
    if (this.#complete === undefined) return;
    const applied = this.#apply(change);
    if (applied === 'gap') void this.#tryReload('gap');
    else if (applied === 'diverged') void this.#tryReload('lost');
    else this.#onChanges([change]);
  }

  /** Resolves when the replica is complete up to `id`. Has no time limit. */
  waitForPosition(id: number): Promise<void> {
    return this.#progress.waitFor(id, this.#replica?.position ?? 0);
  }

  /**
   * Compares the replica with the position of Redis, and reloads it if they disagree. `knownId` is the highest id that this
   * process knew before it read the position: the position does not include later writes.
   */
  async check(meta: RealmPosition | null, knownId: number): Promise<void> {
    const replica = this.#replica;
    if (!replica) {
      // Changes that were accepted without a replica are loaded, so that this process can restore them.
      if (!this.isSynced) await this.reload('first');
      return;
    }
    const isStuck =
      meta !== null && this.#lag.update(meta.top, replica.position, performance.now());
    const isWhole =
      meta !== null &&
      meta.top >= knownId &&
      !replica.isOtherHistory(meta) &&
      // Lost during a reload, which did not know of it.
      !this.#unapplied.hasSkipped;
    if (isWhole && !isStuck) await this.#publishPending();
    else if (replica.isComplete) await this.reload(isWhole ? 'gap' : 'lost');
    else await this.reload('first');
  }

  /** Publishes pending changes. Rejects when Redis is unavailable; the periodic check tries again. */
  #publishPending(): Promise<void> {
    return this.#unpublished.publish(this.#replica, async (reports) => {
      const outcome = await this.#report(reports);
      if (outcome !== null) this.#applyOutcome(outcome);
      return outcome !== null;
    });
  }

  /** The highest id that Redis is known to have had. A lower one shows that Redis has lost changes. */
  get highestKnownId(): number {
    return Math.max(this.#replica?.position ?? 0, this.#unapplied.highestId);
  }

  /** Reloads the realm, and restores the entries that Redis has lost. Rejects when Redis is unavailable. */
  reload(reason: LoadReason): Promise<void> {
    this.#reloading ??= this.#reload(reason).finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  /** Never rejects: the periodic check tries again. */
  async #tryReload(reason: LoadReason): Promise<void> {
    await this.reload(reason).catch((error: unknown) => tolerated.record(error));
  }

  async #reload(reason: LoadReason): Promise<void> {
    this.counters.loads[reason] += 1;
    const replicated = this.#complete?.entries() ?? null;
    const state = { replicated, unapplied: this.#unapplied.entries() };
    const withLastSeen = replicated === null || reason !== 'gap';
    const expected = await this.#loader.expectedEntries(state, { withLastSeen });
    try {
      await this.#adopt(await this.#loader.restoreAndRead(expected, () => this.#progress.servedId));
      // PostgreSQL lacks entries, for example, if a process was killed before it saved them.
      if (replicated !== null || expected === null) return;
      const unsaved = newerEntries(this.replica?.entries() ?? [], expected);
      for (const entry of unsaved) this.onUnsaved(this.realmId, entry);
    } finally {
      this.#replica ??= this.#provisional(expected ?? []);
    }
  }

  #provisional(entries: readonly PresenceEntry[]): RealmReplica {
    const replica = RealmReplica.provisional(entries, this.#toShown);
    this.#unpublished.discardAllApplied(replica);
    return replica;
  }

  /** Replaces the replica by a snapshot of Redis. */
  async #adopt({ snapshot, servedId }: CompleteSnapshot): Promise<void> {
    const previous = this.#replica;
    const previousComplete = this.#complete;
    const isNewEpoch = previousComplete !== undefined && previousComplete.epoch !== snapshot.epoch;
    if (isNewEpoch) this.counters.epochChanges += 1;
    this.#replica = RealmReplica.complete(snapshot, snapshot.entries.values(), this.#toShown);
    this.onlineIds.recordReload(previous, this.#replica);
    // Changes accepted after the snapshot: the stream brings them, unless Redis loses them first.
    const later = lostEntries(previousComplete?.entries() ?? [], snapshot, this.timing);
    for (const entry of later) this.#unapplied.add(entry);
    this.#onNewReplica(this.#replica);
    const republished = usersToRepublish(snapshot, (userId) => previous?.get(userId), servedId);
    for (const userId of republished) this.#unpublished.addRepublished(userId);
    await this.#publishPending();
  }

  #applyOutcome(outcome: ReportOutcome): void {
    this.counters.accepted += outcome.changes.length;
    if (outcome.isClockBehind) this.counters.clockBehind += 1;
    this.counters.aheadReports += outcome.aheadReports;
    let isOtherHistory = this.#replica !== undefined && this.#replica.epoch !== outcome.epoch;
    for (const change of outcome.changes) {
      this.onUnsaved(this.realmId, change.entry);
      const applied = this.#apply(change);
      // A gap needs no reload: another process wrote in between, and the stream brings both changes.
      if (applied !== 'applied' && applied !== 'known') this.#unapplied.add(change.entry);
      if (applied === 'diverged') isOtherHistory = true;
    }
    this.#onChanges(outcome.changes);
    if (isOtherHistory) void this.#tryReload('lost');
  }

  #apply(change: PresenceChange): ApplyResult | undefined {
    const before = this.#replica?.get(change.entry.userId);
    const applied = this.#replica?.apply(change);
    if (applied !== 'applied') return applied;
    this.#unpublished.discardApplied(change.entry);
    this.onlineIds.record(before, change.entry);
    // Redis may allocate an id again after it lost changes, if its clock is behind.
    if (change.entry.id <= this.#progress.servedId) {
      this.#unpublished.addRepublished(change.entry.userId);
    }
    return applied;
  }

  readonly #toShown = (entry: PresenceEntry): PresenceEntry => this.#unpublished.applyTo(entry);

  /** Called after changes of Redis; the cost is proportional to them. */
  #onChanges(changes: readonly PresenceChange[]): void {
    const userIds = changes.map(({ entry }) => entry.userId);
    const replica = this.#complete;
    if (replica && this.#unapplied.discardApplied(userIds, replica)) void this.#tryReload('lost');
    this.#progress.advance(this.#replica?.position ?? 0);
  }

  #onNewReplica(replica: RealmReplica): void {
    this.#unpublished.discardAllApplied(replica);
    if (this.#unapplied.discardAllApplied(replica)) void this.#tryReload('lost');
    this.#progress.advance(replica.position);
  }
}

/** Shared by all realms. */
const tolerated = new ToleratedFailures(RealmPresence.name);
