import type { Outcome } from './outcomes.rules.js';

/**
 * Whether a phone may show the push of an attempt with this outcome. Only an answer that refuses the push says that it does
 * not, or the transport that the request never left: a push without an answer, or with a temporary error, may have been delivered.
 */
export function mayBeShownAfter(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'delivered':
      return true;
    case 'retry':
      return outcome.class === 'unanswered' || outcome.class === 'temporary';
    case 'dead_token':
    case 'message_fault':
    case 'config_fault':
      return false;
  }
}
