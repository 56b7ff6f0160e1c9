import { LRUCache } from 'lru-cache';
import { MEBIBYTE } from '#platform/contracts';
import type { PresenceAnswer, PresenceRequest } from '#presence/rpc';
import type { Clock } from '#platform/core';
import type { PresenceCounters } from '#presence/metrics';
import type { RealmReplica, ServedRevisions, UserDirectory } from '#presence/replica';
import {
  answerWindow,
  buildDelayMs,
  cursorOf,
  emptyAnswer,
  hasPool,
  isReusable,
  MAX_UNSHARED_ENTRIES,
  poolKeyOf,
  type PresenceEntry,
  SHARED_ANSWER_TTL_MS,
  sharedWindow,
} from '#presence/rules';
import type { ViewLimits } from '../access-limits.js';
import { renderAnswer, renderSharedAnswer, SharedAnswer } from './render-answer.js';

/** Schedules a function, as setTimeout does. */
type RunLater = (run: () => void, ms: number) => unknown;

/** The sources of the shared answers of one realm. */
interface SharedSource {
  readonly realm: {
    /** The replica, after it has caught up with earlier answers. Never rejects. */
    caughtUpReplica(): Promise<RealmReplica | undefined>;
  };
  readonly directory: Pick<UserDirectory, 'get' | 'isStillToRead'>;
}

/** The sources of the answer for one viewer. */
interface ViewerSource extends SharedSource {
  readonly realm: SharedSource['realm'] & {
    /** An accepted change of a user that the replica does not have yet, as it is shown. */
    unappliedChange(userId: number): PresenceEntry | undefined;
    /** The revision that each account was last answered from. */
    readonly served: Pick<ServedRevisions, 'of' | 'record'>;
  };
  /** Null: the viewer may see everyone. */
  readonly limits: ViewLimits | null;
}

/**
 * Builds the answers to polls. Small answers, answers with limits, and first fetches with an own number of days are built
 * for one viewer; other large ones are shared by all viewers of a pool. Every answer contains the viewer's own last report,
 * and is from the same or a later revision of the replica than the account's previous answer.
 */
export class AnswerBuilder {
  readonly #shared: SharedAnswers;

  constructor(
    private readonly counters: PresenceCounters,
    private readonly clock: Clock,
    runLater?: RunLater,
  ) {
    this.#shared = new SharedAnswers(counters, clock, runLater);
  }

  /** Never rejects. */
  async build(request: PresenceRequest, source: ViewerSource): Promise<PresenceAnswer> {
    const replica = await source.realm.caughtUpReplica();
    if (replica === undefined || !this.#isShareable(request, replica, source)) {
      return this.#buildUnshared(request, replica, source);
    }
    return this.#buildShared(request, replica, source);
  }

  #isShareable(
    request: PresenceRequest,
    replica: RealmReplica,
    { realm, limits }: ViewerSource,
  ): boolean {
    if (!replica.isComplete || limits !== null || !hasPool(request)) return false;
    if (realm.unappliedChange(request.userId) !== undefined) return false;
    const { aboveId } = answerWindow(request, this.clock() / 1000);
    return replica.hasMoreAbove(aboveId, MAX_UNSHARED_ENTRIES);
  }

  #buildUnshared(
    request: PresenceRequest,
    replica: RealmReplica | undefined,
    { realm, directory, limits }: ViewerSource,
  ): PresenceAnswer {
    const nowMs = this.clock();
    const own = realm.unappliedChange(request.userId);
    const sources = { replica, directory, limits, own };
    const { text, entries } = renderAnswer(request, sources, nowMs);
    if (replica) realm.served.record(request.userId, replica.revision, nowMs);
    this.counters.answerEntries.observe(entries);
    this.counters.answers[entries === 0 ? 'empty' : 'own'] += 1;
    return text;
  }

  async #buildShared(
    request: PresenceRequest,
    replica: RealmReplica,
    source: ViewerSource,
  ): Promise<PresenceAnswer> {
    const { realm } = source;
    const minimum = minimumRevision(request, replica, realm);
    const shared = await this.#shared.getOrBuild(request, replica, minimum, source);
    // Null without a complete replica. An incomplete answer, or an answer below the cursor, cannot be shared.
    if (shared?.rendered.isComplete !== true || shared.position < cursorOf(request)) {
      return this.#buildUnshared(request, await realm.caughtUpReplica(), source);
    }
    const { entries } = shared.rendered;
    const encoded = await shared.encode(request.encoding);
    // Another request of this account may have been answered while this answer was built and compressed.
    const minimumNow = minimumRevision(request, await realm.caughtUpReplica(), realm);
    if (minimumNow > shared.revision) return this.build(request, source);
    const nowMs = this.clock();
    realm.served.record(request.userId, shared.revision, nowMs);
    this.counters.answerEntries.observe(entries);
    // The cursor moves only together with entries.
    const answer = entries === 0 ? emptyAnswer(request.lastUpdateId, nowMs) : encoded;
    this.counters.answers[kindOf(answer, entries)] += 1;
    return answer;
  }
}

/**
 * The first revision that has the viewer's own last report and is not before the account's previous answer; infinite if the
 * replica does not have that report yet.
 */
function minimumRevision(
  { userId }: PresenceRequest,
  replica: RealmReplica | undefined,
  realm: ViewerSource['realm'],
): number {
  if (realm.unappliedChange(userId) !== undefined) return Infinity;
  return Math.max(replica?.node(userId)?.revision ?? 0, realm.served.of(userId));
}

function kindOf(answer: PresenceAnswer, entries: number): 'empty' | 'shared' | 'compressed' {
  if (entries === 0) return 'empty';
  return typeof answer === 'string' ? 'shared' : 'compressed';
}

/**
 * Memory limit of the shared answers of all realms. A text counts two bytes per character: it needs two if an address is not
 * Latin-1; otherwise the second byte covers its compressed forms.
 */
const MAX_BYTES = 64 * MEBIBYTE;
const BYTES_PER_CHARACTER = 2;

/** Limit of the pools whose last build time is kept. */
const MAX_POOLS = 10_000;

/** A scheduled build, and the requests that wait for it. */
interface PendingBuild {
  lowestCursor: number;
  readonly answer: Promise<SharedAnswer | null>;
}

/** The shared answers of the last second, for all realms. */
class SharedAnswers {
  readonly #answers = new LRUCache<string, SharedAnswer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ rendered }) => rendered.text.length * BYTES_PER_CHARACTER,
    // The TTL only frees memory; isReusable decides whether an answer suits a viewer.
    ttl: SHARED_ANSWER_TTL_MS,
    ttlAutopurge: true,
  });
  readonly #pending = new Map<string, PendingBuild>();
  readonly #madeAtMs = new LRUCache<string, number>({ max: MAX_POOLS });

  constructor(
    private readonly counters: PresenceCounters,
    private readonly clock: Clock,
    private readonly runLater: RunLater = setTimeout,
  ) {}

  /**
   * An answer with all entries above the viewer's cursor, and possibly more, from revision `minimum` or later. `replica` is
   * the current one. Null if the realm has no complete replica at the build.
   */
  async getOrBuild(
    request: PresenceRequest,
    replica: RealmReplica,
    minimum: number,
    source: SharedSource,
  ): Promise<SharedAnswer | null> {
    const pool = poolKeyOf(request, replica.position);
    const cursor = cursorOf(request);
    const known = this.#answers.get(pool);
    const needs = { cursor, revision: minimum };
    if (known?.replica === replica && isReusable(known, needs, this.clock())) {
      this.counters.sharedAnswersReused += 1;
      return known;
    }
    const pending = this.#pending.get(pool);
    if (!pending) return this.#schedule(pool, request, source).answer;
    pending.lowestCursor = Math.min(pending.lowestCursor, cursor);
    this.counters.sharedAnswersReused += 1;
    return pending.answer;
  }

  #schedule(pool: string, request: PresenceRequest, source: SharedSource): PendingBuild {
    const waitMs = buildDelayMs(this.#madeAtMs.get(pool) ?? null, this.clock());
    const build: PendingBuild = {
      lowestCursor: cursorOf(request),
      answer: this.#whenDue(waitMs, source).then((replica) => {
        // No await from here on: a viewer that joined later could get an answer without its own report.
        this.#pending.delete(pool);
        if (replica?.isComplete !== true) return null;
        return this.#build(pool, request, build.lowestCursor, replica, source);
      }),
    };
    this.#pending.set(pool, build);
    return build;
  }

  async #whenDue(waitMs: number, source: SharedSource): Promise<RealmReplica | undefined> {
    if (waitMs > 0) {
      await new Promise<void>((resolve) => {
        this.runLater(resolve, waitMs);
      });
    }
    return source.realm.caughtUpReplica();
  }

  #build(
    pool: string,
    request: PresenceRequest,
    cursor: number,
    replica: RealmReplica,
    { directory }: SharedSource,
  ): SharedAnswer {
    const nowMs = this.clock();
    const window = sharedWindow(request, cursor, replica.position, nowMs / 1000);
    const rendered = renderSharedAnswer(window, request.format, { replica, directory }, nowMs);
    const answer = new SharedAnswer(rendered, replica, window.aboveId, nowMs);
    this.#answers.set(pool, answer);
    this.#madeAtMs.set(pool, nowMs);
    this.counters.sharedAnswersMade += 1;
    return answer;
  }
}
