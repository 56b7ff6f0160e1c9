import type { PresenceRequest } from '#contracts';
import { presenceRequest } from '../../../../test/support/presence-request.js';

/** A poll that reports nothing, with what a test wants to be different. */
export const pollWith = (different: Partial<PresenceRequest>): PresenceRequest =>
  presenceRequest({ isVisible: false, ...different });
