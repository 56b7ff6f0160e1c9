import pLimit from 'p-limit';
import { substituteIdentity } from '#directory/guest-access';
import { type Clock, withinDeadline } from '#platform/core';
import type { WriteBehind } from '#presence/last-seen';
import type { PresenceCounters } from '#presence/metrics';
import type {
  RealmPresence,
  RealmRegistry,
  RealmReplica,
  UserDirectories,
} from '#presence/replica';
import {
  type OnlineQuery,
  type OnlineReading,
  type PresenceAnswer,
  type PresenceReader,
  type PresenceRequest,
  type PresenceService,
  type PresenceViewer,
  REALM_NOT_LOADED,
  type UserPresenceQuery,
  type UserReading,
  type VisibilityChange,
} from '#presence/rpc';
import {
  clockLagSeconds,
  emptyAnswer,
  historyCutoff,
  latestAcceptedAt,
  pingAnswer,
  type PresenceEntry,
  type PresenceReport,
  renderRealmPresence,
  clampReport,
  type UserTimes,
} from '#presence/rules';
import { type AccessLimits, isHiddenFrom, substituteHostOf } from './access-limits.js';
import { AnswerBuilder } from './answers/answer-builder.js';
import type { OnlineReader } from './online-reader.js';
import type { ReportBatcher } from './report-batcher.js';

/** A report waits at most this long for an urgent write to PostgreSQL. */
const MAX_SAVE_WAIT_MS = 250;

/** The presence service: writes reports to Redis in batches, and answers from memory. */
export class LivePresence implements PresenceService {
  constructor(
    private readonly realms: RealmRegistry,
    private readonly batcher: ReportBatcher,
    private readonly reader: LiveReader,
    private readonly writeBehind: Pick<WriteBehind, 'flushUser' | 'whenSaved'>,
    private readonly clock: Clock,
    private readonly online: OnlineReader,
  ) {}

  /** See PresenceService. Never rejects: a failure of Redis or PostgreSQL only makes the answer less complete. */
  async report(request: PresenceRequest): Promise<PresenceAnswer> {
    const realm = this.realms.of(request.realmId);
    if (!realm.replica) await realm.ready();
    if (request.isVisible) {
      await this.batcher.submit(realm, reportOf(request, this.clock() / 1000));
      const saved = this.writeBehind.whenSaved(request.userId);
      if (saved !== null) await withinDeadline(MAX_SAVE_WAIT_MS, saved, () => undefined);
    }
    return this.reader.answer(realm, request);
  }

  /** See PresenceReader. */
  readRealm(viewer: PresenceViewer): Promise<string> {
    return this.reader.readRealm(viewer);
  }

  /** See PresenceReader. */
  readUser(query: UserPresenceQuery): Promise<UserReading> {
    return this.reader.readUser(query);
  }

  /** See PresenceService. Rejects while the realm is being loaded. */
  readOnline(query: OnlineQuery): Promise<OnlineReading> {
    return this.online.read(query);
  }

  /** See PresenceService. Never rejects: while Redis is unavailable the change is buffered. */
  async changeVisibility(change: VisibilityChange): Promise<void> {
    const realm = this.realms.of(change.realmId);
    const nowSeconds = this.clock() / 1000;
    const report: PresenceReport = {
      userId: change.userId,
      kind: change.isVisible ? 'show' : 'hide',
      activeAt: 0,
      idleAt: Math.floor(change.changedAt) + clockLagSeconds(change.sentAt, nowSeconds),
      joinedAt: Math.floor(change.joinedAt),
    };
    // Redis reduces times ahead of its clock. Without the same here, the local change would outlast the stored one.
    realm.applyVisibility(clampReport(report, latestAcceptedAt(nowSeconds)));
    if (change.isCopy === true) return;
    await this.batcher.submit(realm, report);
    await this.writeBehind.flushUser(change.userId);
  }
}

function reportOf(request: PresenceRequest, nowSeconds: number): PresenceReport {
  const idleAt = Math.floor(request.reportedAt) + clockLagSeconds(request.sentAt, nowSeconds);
  return {
    userId: request.userId,
    kind: 'merge',
    activeAt: request.status === 'active' ? idleAt : 0,
    idleAt,
    joinedAt: Math.floor(request.joinedAt),
  };
}

/** Reads presence from the replicas in memory. */
export class LiveReader implements PresenceReader {
  readonly #answers: AnswerBuilder;
  /** The presence of a large realm takes some ten megabytes while it is rendered in time slices: one at a time. */
  readonly #rendering = pLimit(1);

  constructor(
    private readonly realms: RealmRegistry,
    private readonly directories: UserDirectories,
    private readonly access: AccessLimits,
    private readonly batcher: Pick<ReportBatcher, 'isRedisDown'>,
    private readonly clock: Clock,
    private readonly counters: PresenceCounters,
  ) {
    this.#answers = new AnswerBuilder(counters, clock);
  }

  /** The answer to a poll. Never rejects. */
  async answer(realm: RealmPresence, request: PresenceRequest): Promise<PresenceAnswer> {
    const cursor = request.isRealmPresenceDisabled ? null : request.lastUpdateId;
    if (request.pingOnly) {
      this.counters.answers.ping += 1;
      return pingAnswer(cursor);
    }
    if (request.isRealmPresenceDisabled) {
      this.counters.answers.empty += 1;
      return emptyAnswer(cursor, this.clock());
    }
    const directory = this.directories.of(request.realmId);
    const [limits] = await Promise.all([
      this.access.limitsFor(request, { showsAddresses: request.format === 'legacy' }),
      directory.ready(request.userId),
    ]);
    this.#countStaleness(realm, request);
    return this.#answers.build(request, { realm, directory, limits });
  }

  /** See PresenceReader. Rejects while the realm is being loaded. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    const directory = this.directories.of(viewer.realmId);
    const [limits] = await Promise.all([
      this.access.limitsFor(viewer, { showsAddresses: true }),
      directory.ready(viewer.userId),
    ]);
    const { replica, own } = await this.#stateFor(viewer);
    const nowMs = this.clock();
    const seenSince = historyCutoff(nowMs / 1000);
    const others = replica.shown().filter(({ userId }) => userId !== own?.userId);
    function* users(): Iterable<UserTimes> {
      for (const { userId, activeAt, idleAt } of [...others, ...(own ? [own] : [])]) {
        const user = directory.get(userId);
        const isShown = user?.isActive === true && idleAt >= seenSince;
        if (!isShown || isHiddenFrom(userId, limits)) continue;
        const host = substituteHostOf(userId, limits);
        const { email } = host === null ? user : substituteIdentity(userId, host);
        yield { email, activeAt, idleAt };
      }
    }
    return this.#rendering(() => renderRealmPresence(users(), nowMs));
  }

  /** See PresenceReader. Rejects while the realm is being loaded. */
  async readUser(query: UserPresenceQuery): Promise<UserReading> {
    const limits = await this.access.limitsFor(query, { showsAddresses: false });
    const { replica, own } = await this.#stateFor(query);
    if (isHiddenFrom(query.askedUserId, limits)) return 'notAllowed';
    const isOwn = query.askedUserId === query.userId;
    const shown = (isOwn ? own : undefined) ?? replica.node(query.askedUserId)?.shown;
    return shown ? { activeAt: shown.activeAt, idleAt: shown.idleAt } : 'unknown';
  }

  #countStaleness({ realmId, replica }: RealmPresence, { lastUpdateId }: PresenceRequest): void {
    if (this.batcher.isRedisDown(realmId) || replica?.isComplete !== true) {
      this.counters.staleAnswers += 1;
    } else if ((lastUpdateId ?? -1) > replica.position) {
      this.counters.cursorsAhead += 1;
    }
  }

  /**
   * The replica, and the viewer's own change that the replica does not have yet. The caller must read both without an
   * await: the revision is recorded as served.
   */
  async #stateFor({
    realmId,
    userId,
  }: PresenceViewer): Promise<{ replica: RealmReplica; own: PresenceEntry | undefined }> {
    const realm = this.realms.of(realmId);
    await realm.ready();
    const replica = await realm.caughtUpReplica();
    if (!replica) throw new Error(REALM_NOT_LOADED);
    realm.served.record(userId, replica.revision, this.clock());
    return { replica, own: realm.unappliedChange(userId) };
  }
}
