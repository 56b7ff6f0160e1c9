import { Temporal } from 'temporal-polyfill';
import type { QuietHours } from '#directory/settings';

/** A time in which phones stay quiet, in milliseconds of UNIX time. */
export interface QuietTime {
  readonly start: number;
  readonly end: number;
}

/** The zone of accounts that have chosen none. */
const NO_ZONE = 'UTC';

/**
 * The quiet times that begin on the day before `from` or on one of the `days` days after that. Wall-clock
 * times follow the time zone: a time that the clocks skip is later by what they skip, and of a time that comes twice the first
 * counts (the `compatible` rule of Temporal). Hours without a length, as on a day that the zone skips, are left out. An unknown
 * zone counts as UTC.
 */
export function quietTimesOf(
  hours: readonly QuietHours[],
  zone: string,
  from: number,
  days: number,
): readonly QuietTime[] {
  const timeZone = knownZone(zone);
  // Hours that began the evening before reach into the day.
  const first = Temporal.Instant.fromEpochMilliseconds(from)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .subtract({ days: 1 });
  const dates = Array.from({ length: days + 2 }, (_, day) => first.add({ days: day }));
  const windows = hours.map((window) => ({
    days: new Set(window.days),
    isToNextDay: window.end <= window.start,
    start: Temporal.PlainTime.from(window.start),
    end: Temporal.PlainTime.from(window.end),
  }));
  const instantOf = (date: Temporal.PlainDate | undefined, plainTime: Temporal.PlainTime) =>
    date?.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds ?? Number.NaN;
  return dates.slice(0, -1).flatMap((date, day) =>
    windows
      .filter((window) => window.days.has(date.dayOfWeek - 1))
      .map((window) => ({
        start: instantOf(date, window.start),
        end: instantOf(window.isToNextDay ? dates[day + 1] : date, window.end),
      }))
      .filter(({ start, end }) => start < end),
  );
}

/** The database of time zones of this process may lack a zone that another release has stored. */
function knownZone(zone: string): string {
  try {
    return zone === '' ? NO_ZONE : Temporal.Now.zonedDateTimeISO(zone).timeZoneId;
  } catch {
    return NO_ZONE;
  }
}
