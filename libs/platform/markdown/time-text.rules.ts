const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)/;

/** The offsets from UTC of common names of time zones, in hours. */
const ZONES: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'z:0 utc:0 gmt:0 wet:0 west:1 bst:1 cet:1 cest:2 eet:2 eest:3 msk:3 ist:5.5 jst:9 kst:9',
    'aest:10 aedt:11 nzst:12 nzdt:13 est:-5 edt:-4 cst:-6 cdt:-5 mst:-7 mdt:-6 pst:-8 pdt:-7',
  ]
    .flatMap((names) => names.split(' '))
    .map((zone) => zone.split(':'))
    .map(([name = '', hours]) => [name, Number(hours)]),
);

const SECONDS = /^\d{1,10}$/;
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/i;
const CLOCK = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?(am|pm)?$/;
const OFFSET = /^([+-])(\d{2}):?(\d{2})$/;
const DAY_OR_YEAR = /^(\d{1,4})(?:st|nd|rd|th)?$/;

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const MAX_OFFSET_MINUTES = 24 * HOUR_MINUTES;

interface Parts {
  year?: number;
  month?: number;
  day?: number;
  minutes?: number;
  seconds?: number;
  offsetMinutes?: number;
}

/**
 * The time that a text names: seconds since 1970, ISO 8601, or day, month and year in English with an optional time and
 * time zone, such as `Jun 5th 2017, 10:30PM` or `31 Dec 2017 5:30 am IST`. UTC without a time zone. Undefined for any
 * other text, and outside the years 1 to 9999.
 */
export function timeOf(text: string): Date | undefined {
  const given = text.trim();
  const time = SECONDS.test(given)
    ? Number(given) * 1000
    : timeOfParts(isoOf(given) ?? wordsOf(given));
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

function wordsOf(text: string): Parts | undefined {
  const words = text
    .toLowerCase()
    .replaceAll(/(\d) (am|pm)\b/g, '$1$2')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  const parts: Parts = {};
  return words.every((word) => take(parts, word)) ? parts : undefined;
}

/** Adds a word to the parts. False for an unknown word, and for one too many. */
function take(parts: Parts, word: string): boolean {
  const month = MONTHS.indexOf(word.slice(0, 3));
  if (month >= 0 && parts.month === undefined) return set(parts, 'month', month);
  const zone = Object.hasOwn(ZONES, word) ? ZONES[word] : undefined;
  if (zone !== undefined) return set(parts, 'offsetMinutes', zone * HOUR_MINUTES);
  const [offset, sign, hours, minutes] = OFFSET.exec(word) ?? [];
  if (offset !== undefined) return set(parts, 'offsetMinutes', offsetOf(sign, hours, minutes));
  const [, number] = DAY_OR_YEAR.exec(word) ?? [];
  if (number !== undefined) {
    const isYear = number.length === 4;
    return (isYear || number.length <= 2) && set(parts, isYear ? 'year' : 'day', Number(number));
  }
  return takeClock(parts, word) || WEEKDAY.test(word);
}

function takeClock(parts: Parts, word: string): boolean {
  const [clock, hour, minute = '0', second = '0', half] = CLOCK.exec(word) ?? [];
  if (clock === undefined || parts.minutes !== undefined) return false;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return false;
  parts.seconds = Number(second);
  return set(parts, 'minutes', hours * HOUR_MINUTES + Number(minute));
}

function set(parts: Parts, name: keyof Parts, value: number): boolean {
  if (parts[name] !== undefined) return false;
  parts[name] = value;
  return true;
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
  const { year, month, day, minutes = 0, seconds = 0, offsetMinutes = 0 } = parts;
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (Math.abs(offsetMinutes) >= MAX_OFFSET_MINUTES) return undefined;
  // `Date.UTC` takes the years up to 99 as those from 1900.
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return date.getTime() + (minutes - offsetMinutes) * MINUTE_MS + seconds * 1000;
}
