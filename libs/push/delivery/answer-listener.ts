import type { ProviderAnswer } from '#push/providers';
import type { DueDelivery } from './delivery-claim.repository.js';

/** Stores the parts of an answer that are not the outcome of a delivery. */
export interface AnswerListener {
  /** Never rejects. */
  answered(due: DueDelivery, answer: ProviderAnswer): Promise<void>;
}

/** DI token of the AnswerListener. */
export const ANSWER_LISTENER = Symbol('AnswerListener');

/** The answers of Apple and Google have no other parts. */
export const outcomesOnly: AnswerListener = { answered: () => Promise.resolve() };
