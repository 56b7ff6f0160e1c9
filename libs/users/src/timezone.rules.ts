/**
 * The name of a time zone as the IANA database spells it, or null when there is none of that name.
 * An alias is left as it was written.
 */
export function normalizeTimezone(given: string): string | null {
  // Else offsets such as `+05:30` would do.
  if (!/^[A-Za-z]/.test(given)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions();
    return timeZone.toLowerCase() === given.toLowerCase() ? timeZone : given;
  } catch {
    return null;
  }
}
