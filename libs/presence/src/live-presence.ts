import type {
  PresenceAnswer,
  PresenceReading,
  PresenceRequest,
  PresenceService,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
  VisibilityChange,
} from '#contracts';
import { type Clock, withinDeadline } from '#core';
import type { AccessLimits } from './access/access-limits.js';
import { Answers } from './answer/answers.js';
import { emptyAnswer, pingAnswer } from './answer/compose-answer.js';
import type { UserDirectories } from './directory/user-directories.js';
import type { PresenceCounters } from './presence-counters.js';
import type { RealmPresence } from './realm/realm-presence.js';
import type { RealmRegistry } from './realm/realm-registry.js';
import type { ReportGatherer } from './report/report-gatherer.js';
import { latestAcceptedAt, reportUpTo } from './state/clock.rules.js';
import type { PresenceReport } from './state/merge.rules.js';

/** A report does not wait longer than this for PostgreSQL to know that somebody is back. */
const MOST_SAVE_WAIT_MS = 250;

/** What a request is answered from. */
export interface LivePresenceParts {
  readonly realms: RealmRegistry;
  readonly gatherer: ReportGatherer;
  readonly directories: UserDirectories;
  readonly access: AccessLimits;
  readonly reading: PresenceReading;
  /** Told of a user who did something at these UNIX seconds. */
  readonly noteInput: (userId: number, at: number) => void;
  readonly flushUser: (userId: number) => Promise<void>;
  /** Resolves when PostgreSQL knows that a user is back; null where there is nothing to wait for. */
  readonly whenKnown: (userId: number) => Promise<void> | null;
}

/** The presence service itself: reports go to Redis in batches, answers come from memory. */
export class LivePresence implements PresenceService {
  readonly #answers: Answers;

  constructor(
    private readonly parts: LivePresenceParts,
    private readonly clock: Clock,
    private readonly counters: PresenceCounters,
  ) {
    this.#answers = new Answers(counters, clock);
  }

  /** See PresenceService. Never rejects: trouble with Redis or PostgreSQL only makes the answer poorer. */
  async report(request: PresenceRequest): Promise<PresenceAnswer> {
    const realm = this.parts.realms.of(request.realmId);
    if (!realm.mirror) await realm.ready();
    if (request.isVisible) {
      if (request.hasNewInput) {
        this.parts.noteInput(request.userId, Math.min(reportOf(request).idleAt, this.#latest()));
      }
      await this.parts.gatherer.submit(realm, reportOf(request));
      const known = this.parts.whenKnown(request.userId);
      if (known !== null) await withinDeadline(MOST_SAVE_WAIT_MS, known, () => undefined);
    }
    const cursor = request.isRealmPresenceDisabled ? null : request.lastUpdateId;
    if (request.pingOnly) {
      this.counters.answers.ping += 1;
      return pingAnswer(cursor);
    }
    if (request.isRealmPresenceDisabled) {
      this.counters.answers.empty += 1;
      return emptyAnswer(cursor, this.clock());
    }
    return this.#answer(realm, request);
  }

  /** See PresenceReading. */
  readRealm(viewer: PresenceViewer): Promise<string> {
    return this.parts.reading.readRealm(viewer);
  }

  /** See PresenceReading. */
  readUser(question: UserPresenceQuestion): Promise<UserReading> {
    return this.parts.reading.readUser(question);
  }

  /** See PresenceService. Never rejects: while Redis is away the change is held until it is back. */
  async changeVisibility(change: VisibilityChange): Promise<void> {
    const realm = this.parts.realms.of(change.realmId);
    const report: PresenceReport = {
      userId: change.userId,
      kind: change.isVisible ? 'show' : 'hide',
      activeAt: 0,
      idleAt: Math.floor(change.changedAt),
      joinedAt: Math.floor(change.joinedAt),
    };
    // Redis reduces a time that is ahead of its clock; one that is not reduced here would outlast what Redis stores.
    realm.noteVisibility(reportUpTo(report, this.#latest()));
    if (change.isCopy === true) return;
    await this.parts.gatherer.submit(realm, report);
    await this.parts.flushUser(change.userId);
  }

  #latest(): number {
    return latestAcceptedAt(this.clock() / 1000);
  }

  async #answer(realm: RealmPresence, request: PresenceRequest): Promise<PresenceAnswer> {
    const directory = this.parts.directories.of(request.realmId);
    const [seenUsers] = await Promise.all([
      this.parts.access.seenBy(request),
      directory.ready(request.userId),
    ]);
    const { mirror } = realm;
    if (this.parts.gatherer.isRedisAway(request.realmId) || mirror?.isProven !== true) {
      this.counters.staleAnswers += 1;
    } else if ((request.lastUpdateId ?? -1) > mirror.position) {
      this.counters.cursorsAhead += 1;
    }
    return this.#answers.answer(request, { realm, directory, seenUsers });
  }
}

function reportOf(request: PresenceRequest): PresenceReport {
  const idleAt = Math.floor(request.reportedAt);
  return {
    userId: request.userId,
    kind: 'merge',
    activeAt: request.status === 'active' ? idleAt : 0,
    idleAt,
    joinedAt: Math.floor(request.joinedAt),
  };
}
