import { ToleratedFailures } from '#platform/core';
import {
  CallFailed,
  ConnectionLost,
  DeadlineExceeded,
  PresenceUnavailable,
} from '#presence/client';
import { REALM_NOT_LOADED } from '#presence/rpc';

const failures = new ToleratedFailures('PresenceReading');

const isPresenceOutage = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  error instanceof DeadlineExceeded ||
  error instanceof PresenceUnavailable ||
  // The connection carries the text of an error, and not its class.
  (error instanceof CallFailed && error.message.endsWith(REALM_NOT_LOADED));

/** Logs and counts a failed read as a defect, unless it is an outage of the presence program or of a store. */
export function reportUnexpectedFailure(error: unknown): void {
  if (!isPresenceOutage(error)) failures.record(error);
}
