/** Whether a text has more characters than `maximum`, counted as Unicode code points. */
export function isLongerThan(maximum: number, text: string): boolean {
  // Nothing that is short in halves is long in wholes, and a very long text need not be counted.
  if (text.length <= maximum) return false;
  return text.length > 2 * maximum || [...text].length > maximum;
}

/** Whether a text holds half a character, which JSON can carry and the database cannot. */
export const isBroken = (text: string): boolean => /\p{Surrogate}/u.test(text);
