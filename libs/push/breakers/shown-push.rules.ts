import type { Outcome } from './outcome-policy.rules.js';

/**
 * Whether a phone may show the push of an attempt with this outcome. Only an answer that refuses the push says that it does
 * not: a push without an answer, or with a temporary error, may have been delivered all the same.
 */
export function mayBeShownAfter(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'delivered':
      return true;
    case 'retry':
      return outcome.class === 'connection' || outcome.class === 'temporary';
    case 'dead_token':
    case 'message_fault':
    case 'config_fault':
      return false;
  }
}
