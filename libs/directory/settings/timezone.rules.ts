/**
 * The name of a time zone in the spelling of the IANA database; null for an unknown name. An alias stays unchanged.
 */
export function normalizeTimezone(given: string): string | null {
  // Intl also accepts offsets such as `+05:30`.
  if (!/^[A-Za-z]/.test(given)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions();
    return timeZone.toLowerCase() === given.toLowerCase() ? timeZone : given;
  } catch {
    return null;
  }
}
