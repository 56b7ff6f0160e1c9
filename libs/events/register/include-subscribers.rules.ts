import type { QueueOptions } from '#events/declarations';

type Choice = QueueOptions['includeSubscribers'];

/** Clients send `partial` with and without quotes. */
const choices: ReadonlyMap<string, Choice> = new Map<string, Choice>([
  ['true', true],
  ['false', false],
  ['partial', 'partial'],
  ['"partial"', 'partial'],
]);

/** The choice of `include_subscribers`; null for an invalid text. */
export const subscribersChoiceOf = (given: string): Choice | null => choices.get(given) ?? null;
