import type { PresenceAnswer, PresenceRequest } from '#contracts';
import type { PresenceCounters } from '../presence-counters.js';
import { answerWindow } from './answer.rules.js';
import {
  type AnswerSources,
  composeAnswer,
  emptyAnswer,
  type SharedSources,
} from './compose-answer.js';
import { SharedBodies } from './shared-bodies.js';
import { MOST_PRIVATE_USERS } from './sharing.rules.js';

/** Answers polls: what is small or for one viewer alone exactly, what is large with a body that is shared. */
export class Answers {
  readonly #bodies: SharedBodies;

  constructor(private readonly counters: PresenceCounters) {
    this.#bodies = new SharedBodies(counters);
  }

  /** `nowMs` is when the data is read. Never rejects. */
  async answer(
    request: PresenceRequest,
    sources: AnswerSources,
    nowMs: number,
  ): Promise<PresenceAnswer> {
    const { mirror } = sources;
    if (mirror?.isProven === true && sources.seenUsers === null) {
      const { aboveId } = answerWindow(request, nowMs / 1000);
      if (mirror.hasMoreAbove(aboveId, MOST_PRIVATE_USERS)) {
        return this.#share(request, { mirror, directory: sources.directory }, nowMs);
      }
    }
    return this.#answerAlone(request, sources, nowMs);
  }

  #answerAlone(request: PresenceRequest, sources: AnswerSources, nowMs: number): PresenceAnswer {
    const { text, entries } = composeAnswer(request, sources, nowMs);
    this.counters.answerEntries.observe(entries);
    this.counters.answers[entries === 0 ? 'empty' : 'own'] += 1;
    return text;
  }

  async #share(
    request: PresenceRequest,
    sources: SharedSources,
    nowMs: number,
  ): Promise<PresenceAnswer> {
    const body = this.#bodies.of(request, sources, nowMs);
    const { entries, isWhole } = body.answer;
    // The cursor in it is not for everybody.
    if (!isWhole) return this.#answerAlone(request, { ...sources, seenUsers: null }, nowMs);
    this.counters.answerEntries.observe(entries);
    // A cursor moves only together with entries.
    const answer =
      entries === 0
        ? emptyAnswer(request.lastUpdateId, nowMs)
        : await body.encoded(request.encoding);
    this.counters.answers[kindOf(answer, entries)] += 1;
    return answer;
  }
}

function kindOf(answer: PresenceAnswer, entries: number): 'empty' | 'shared' | 'compressed' {
  if (entries === 0) return 'empty';
  return typeof answer === 'string' ? 'shared' : 'compressed';
}
