/** The form of documented reasons: a few words. */
const REASON = /^[\w .:-]{1,60}$/;
/** The label of all reasons beyond the bound. */
export const OTHER_REASON = 'other';

/** More than the documented reasons of both providers. */
const MAX_REASONS = 60;

/**
 * Bounds the number of values of a label: passes the first `max` reasons, and maps all others to `other`. The
 * provider chooses the reasons, and Prometheus keeps each new series for the life of the process.
 */
export function boundedLabel(max = MAX_REASONS): (reason: string) => string {
  const known = new Set<string>();
  return (reason) => {
    if (known.has(reason)) return reason;
    if (known.size >= max || !REASON.test(reason)) return OTHER_REASON;
    known.add(reason);
    return reason;
  };
}
