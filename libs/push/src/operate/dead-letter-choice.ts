import type { DeadLetterKey } from './dead-letter-id.rules.js';

/** Which dead letters an operator means. */
export type DeadLetterChoice =
  | { readonly ids: readonly DeadLetterKey[] }
  /** As the provider spells it. */
  | { readonly reason: string }
  | { readonly all: true };

/** What a choice asks of each letter; null where it asks nothing. */
export const demandsOf = (choice: DeadLetterChoice) => ({
  keys: 'ids' in choice ? choice.ids : null,
  reason: 'reason' in choice ? choice.reason : null,
});
