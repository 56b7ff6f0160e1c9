import type { PresenceRequest } from '#presence/rpc';
import { presenceRequest } from '#test/presence-request';

/** A poll without a report, with the overrides of a test. */
export const pollWith = (overrides: Partial<PresenceRequest>): PresenceRequest =>
  presenceRequest({ isVisible: false, ...overrides });
