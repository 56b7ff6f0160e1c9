/** A time in text output, in UTC with seconds: `2026-11-21 14:10:03`. Null stays null. */
export const timeText = (at: Date | null): string | null =>
  at === null ? null : at.toISOString().slice(0, 19).replace('T', ' ');

/** A time in JSON output: ISO 8601 in UTC with milliseconds. Null stays null. */
export const timeJson = (at: Date | null): string | null => at?.toISOString() ?? null;

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
] as const;

/** A duration in text output, in the largest unit that fits: `240 ms`, `1.5 s`, `12 min`. Null stays null. */
export function durationText(ms: number | null): string | null {
  if (ms === null) return null;
  const unit = UNITS.find((one) => ms >= one.ms);
  if (unit !== undefined) return `${Math.floor(ms / unit.ms)} ${unit.name}`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
