const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/i;
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const MAX_OFFSET_MINUTES = 24 * HOUR_MINUTES;

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly offsetMinutes: number;
}

/**
 * The time that a text names in the format of ISO 8601. UTC without a time zone. Undefined for any other text, and outside the
 * years 1 to 9999.
 */
export function timeOf(text: string): Date | undefined {
  const time = timeOfParts(isoOf(text.trim()));
  if (time === undefined || Number.isNaN(time)) return undefined;
  const date = new Date(time);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : undefined;
}

function isoOf(text: string): Parts | undefined {
  const [whole, year, month, day, hour = '0', minute = '0', second = '0', , sign, hours, minutes] =
    ISO.exec(text) ?? [];
  if (whole === undefined || Number(hour) > 23) return undefined;
  return {
    year: Number(year),
    month: Number(month) - 1,
    day: Number(day),
    minutes: Number(hour) * HOUR_MINUTES + Number(minute),
    seconds: Number(second),
    offsetMinutes: offsetOf(sign, hours, minutes),
  };
}

function offsetOf(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number {
  const offset = Number(hours ?? 0) * HOUR_MINUTES + Number(minutes ?? 0);
  return sign === '-' ? -offset : offset;
}

function timeOfParts(parts: Parts | undefined): number | undefined {
  if (parts === undefined) return undefined;
  const { year, month, day, minutes, seconds, offsetMinutes } = parts;
  if (Math.abs(offsetMinutes) >= MAX_OFFSET_MINUTES) return undefined;
  // `Date.UTC` takes the years up to 99 as those from 1900.
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return date.getTime() + (minutes - offsetMinutes) * MINUTE_MS + seconds * 1000;
}
