import type { PresenceAnswer, PresenceRequest } from '#contracts';
import type { Clock } from '#core';
import type { Mirror } from '../mirror/mirror.js';
import type { PresenceCounters } from '../presence-counters.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { answerWindow } from './answer.rules.js';
import { composeAnswer, emptyAnswer } from './compose-answer.js';
import type { ServedRevisions } from './served-revisions.js';
import { type RunLater, SharedBodies, type SharedSource } from './shared-bodies.js';
import { cursorOf, MOST_PRIVATE_USERS } from './sharing.rules.js';

/** What the answer for one viewer is made from. */
export interface ViewerSource extends SharedSource {
  readonly realm: SharedSource['realm'] & {
    /** What a user has reported, as it is shown, where the mirror does not have it yet. */
    acceptedAhead(userId: number): PresenceEntry | undefined;
    /** What the accounts of the realm were answered from. */
    readonly served: Pick<ServedRevisions, 'note' | 'of'>;
  };
  /** Null: the viewer may see everyone. */
  readonly seenUsers: ReadonlySet<number> | null;
}

/**
 * Answers polls: what is small or for one viewer alone exactly, what is large with a body that is shared. Whatever the
 * size, an answer has the report that its viewer has just made, and is as of no earlier state of the mirror than an
 * answer that the same account was given before.
 */
export class Answers {
  readonly #bodies: SharedBodies;

  constructor(
    private readonly counters: PresenceCounters,
    private readonly clock: Clock,
    runLater?: RunLater,
  ) {
    this.#bodies = new SharedBodies(counters, clock, runLater);
  }

  /** Never rejects. */
  async answer(request: PresenceRequest, source: ViewerSource): Promise<PresenceAnswer> {
    const mirror = await source.realm.current();
    if (mirror === undefined || !this.#isShareable(request, mirror, source)) {
      return this.#answerAlone(request, mirror, source);
    }
    return this.#share(request, mirror, source);
  }

  #isShareable(
    request: PresenceRequest,
    mirror: Mirror,
    { realm, seenUsers }: ViewerSource,
  ): boolean {
    if (!mirror.isProven || seenUsers !== null) return false;
    if (realm.acceptedAhead(request.userId) !== undefined) return false;
    const { aboveId } = answerWindow(request, this.clock() / 1000);
    return mirror.hasMoreAbove(aboveId, MOST_PRIVATE_USERS);
  }

  #answerAlone(
    request: PresenceRequest,
    mirror: Mirror | undefined,
    { realm, directory, seenUsers }: ViewerSource,
  ): PresenceAnswer {
    const nowMs = this.clock();
    const own = realm.acceptedAhead(request.userId);
    const sources = { mirror, directory, seenUsers, own };
    const { text, entries } = composeAnswer(request, sources, nowMs);
    if (mirror) realm.served.note(request.userId, mirror.revision, nowMs);
    this.counters.answerEntries.observe(entries);
    this.counters.answers[entries === 0 ? 'empty' : 'own'] += 1;
    return text;
  }

  async #share(
    request: PresenceRequest,
    mirror: Mirror,
    source: ViewerSource,
  ): Promise<PresenceAnswer> {
    const { realm } = source;
    const least = leastRevision(request, mirror, realm);
    const body = await this.#bodies.of(request, mirror, least, source);
    // Null without a mirror that is proven. The cursor of what is not whole is not for everybody, nor is a lower one.
    if (body?.answer.isWhole !== true || body.position < cursorOf(request)) {
      return this.#answerAlone(request, await realm.current(), source);
    }
    const { entries } = body.answer;
    const encoded = await body.encoded(request.encoding);
    // Another request of this account may have been answered while the body was made and compressed.
    const isTooOld = leastRevision(request, await realm.current(), realm) > body.revision;
    if (isTooOld) return this.answer(request, source);
    const nowMs = this.clock();
    realm.served.note(request.userId, body.revision, nowMs);
    this.counters.answerEntries.observe(entries);
    // A cursor moves only together with entries.
    const answer = entries === 0 ? emptyAnswer(request.lastUpdateId, nowMs) : encoded;
    this.counters.answers[kindOf(answer, entries)] += 1;
    return answer;
  }
}

/**
 * The first state of the mirror that has the viewer's own last report, and is no earlier than what the account was
 * answered from; infinite where the mirror does not have that report yet.
 */
function leastRevision(
  { userId }: PresenceRequest,
  mirror: Mirror | undefined,
  realm: ViewerSource['realm'],
): number {
  if (realm.acceptedAhead(userId) !== undefined) return Infinity;
  return Math.max(mirror?.node(userId)?.revision ?? 0, realm.served.of(userId));
}

function kindOf(answer: PresenceAnswer, entries: number): 'empty' | 'shared' | 'compressed' {
  if (entries === 0) return 'empty';
  return typeof answer === 'string' ? 'shared' : 'compressed';
}
