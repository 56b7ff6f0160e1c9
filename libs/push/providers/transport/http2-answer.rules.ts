import type { Http2Outcome, Http2Reply } from '../http2/http2-exchange.js';
import type { ProviderAnswer } from './provider-answer.rules.js';

/** The answer to a push from the result of its request; `answerOf` maps a reply, also a late one. */
export function answerFrom(
  outcome: Http2Outcome,
  answerOf: (reply: Http2Reply) => ProviderAnswer,
): ProviderAnswer {
  if (outcome.kind === 'reply') return answerOf(outcome);
  if (outcome.kind !== 'unanswered') return outcome;
  const { late, ...unanswered } = outcome;
  if (late === undefined) return unanswered;
  const lateAnswer = async () => answerFrom(await late, answerOf);
  return { ...unanswered, late: lateAnswer() };
}
