/** What a reason looks like that can be a label: a word or two, as providers document theirs. */
const REASON = /^[\w .:-]{1,60}$/;
export const OTHER_REASON = 'other';

/**
 * Keeps the values of a label few: lets through the first `most` that look like a reason, and then these
 * alone. Whoever is on the other side decides what a reason says, and each new one is kept for ever.
 */
export function boundedLabel(most: number): (reason: string) => string {
  const known = new Set<string>();
  return (reason) => {
    if (known.has(reason)) return reason;
    if (known.size >= most || !REASON.test(reason)) return OTHER_REASON;
    known.add(reason);
    return reason;
  };
}
