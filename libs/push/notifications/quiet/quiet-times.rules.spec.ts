import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { quietTimesOf } from './quiet-times.rules.js';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const DAY = 86_400_000;

/** The quiet times of one window, as UTC. */
const timesOf = (
  [start, end]: readonly [string, string],
  zone: string,
  from: string,
  { days = 1, on = EVERY_DAY } = {},
) =>
  quietTimesOf([{ days: on, start, end }], zone, Date.parse(from), days).map(
    (time) => `${iso(time.start)} - ${iso(time.end)}`,
  );

const iso = (time: number): string => new Date(time).toISOString().slice(0, 16);

// The time zone of the process must not matter, as it does for some libraries of dates.
describe.each([
  ['UTC', 0],
  ['America/New_York', 300],
  ['Asia/Kathmandu', -345],
])('Quiet times in a process of the zone %s', (zoneOfProcess, behindMinutes) => {
  beforeAll(() => {
    process.env['TZ'] = zoneOfProcess;
    expect(new Date('2026-01-01T00:00Z').getTimezoneOffset()).toBe(behindMinutes);
  });

  it('begin with the evening before', () => {
    expect(timesOf(['22:00', '07:00'], 'Europe/Berlin', '2026-11-29T12:00Z')).toEqual([
      '2026-11-28T21:00 - 2026-11-29T06:00',
      '2026-11-29T21:00 - 2026-11-30T06:00',
    ]);
  });

  it('take the days of the week of the zone of the account', () => {
    // In Auckland it is Monday already.
    const monday = { on: [0], days: 2 };
    expect(timesOf(['08:00', '09:00'], 'Pacific/Auckland', '2026-11-29T13:00Z', monday)).toEqual([
      '2026-11-29T19:00 - 2026-11-29T20:00',
    ]);
    expect(timesOf(['22:00', '07:00'], '', '2026-11-30T13:00Z', monday)).toEqual([
      '2026-11-30T22:00 - 2026-12-01T07:00',
    ]);
  });

  it.each<[string, readonly [string, string], string, string, readonly string[]]>([
    [
      'an end that the clocks skip is later by what they skip',
      ['01:00', '02:30'],
      'Europe/Berlin',
      '2027-03-28T12:00Z',
      ['2027-03-27T00:00 - 2027-03-27T01:30', '2027-03-28T00:00 - 2027-03-28T01:30'],
    ],
    [
      'of an end that comes twice the first counts',
      ['01:00', '02:30'],
      'Europe/Berlin',
      '2026-10-25T12:00Z',
      ['2026-10-23T23:00 - 2026-10-24T00:30', '2026-10-24T23:00 - 2026-10-25T00:30'],
    ],
    [
      'a day without midnight begins at one',
      ['00:00', '07:00'],
      'Africa/Cairo',
      '2026-04-24T12:00Z',
      ['2026-04-22T22:00 - 2026-04-23T05:00', '2026-04-23T22:00 - 2026-04-24T04:00'],
    ],
    [
      'hours on a day that a zone skips are those of the next',
      ['08:00', '09:00'],
      'Pacific/Apia',
      '2011-12-30T12:00Z',
      ['2011-12-30T18:00 - 2011-12-30T19:00', '2011-12-30T18:00 - 2011-12-30T19:00'],
    ],
    [
      'a renamed zone is the same zone',
      ['22:00', '07:00'],
      'Europe/Kyiv',
      '2026-07-01T12:00Z',
      ['2026-06-30T19:00 - 2026-07-01T04:00', '2026-07-01T19:00 - 2026-07-02T04:00'],
    ],
    [
      'an unknown zone counts as UTC',
      ['22:00', '07:00'],
      'Mars/Olympus_Mons',
      '2026-07-01T12:00Z',
      ['2026-06-30T22:00 - 2026-07-01T07:00', '2026-07-01T22:00 - 2026-07-02T07:00'],
    ],
    [
      'equal times are a whole day',
      ['07:00', '07:00'],
      'UTC',
      '2026-07-01T12:00Z',
      ['2026-06-30T07:00 - 2026-07-01T07:00', '2026-07-01T07:00 - 2026-07-02T07:00'],
    ],
  ])('%s', (_, window, zone, from, expected) => {
    expect(timesOf(window, zone, from)).toEqual(expected);
  });

  it('leave out hours without a length', () => {
    // Both ends are 03:30: the clocks skip the hour from two to three.
    expect(timesOf(['02:30', '03:30'], 'Europe/Berlin', '2027-03-28T12:00Z')).toEqual([
      '2027-03-27T01:30 - 2027-03-27T02:30',
    ]);
  });

  it('cover every moment whose wall-clock time lies in the hours', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Africa/Cairo',
    );
    const hour = fc.integer({ min: 0, max: 23 });
    const from = fc.date({
      min: new Date('2026-01-01'),
      max: new Date('2027-12-31'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(zones, hour, hour, from, fc.nat(10 * 24), (zone, start, end, date, later) => {
        const text = (value: number) => `${String(value).padStart(2, '0')}:00`;
        const hours = [{ days: EVERY_DAY, start: text(start), end: text(end) }];
        const times = quietTimesOf(hours, zone, date.getTime(), 14);
        const moment = date.getTime() + later * 3_600_000;
        const format = new Intl.DateTimeFormat('en', {
          timeZone: zone,
          hour: 'numeric',
          hourCycle: 'h23',
        });
        const local = Number(format.format(moment));
        const isInside =
          start < end ? start <= local && local < end : local >= start || local < end;
        const isQuiet = times.some((time) => time.start <= moment && moment < time.end);
        // On the days of a change of the clocks the hour that is skipped or repeated may differ.
        const isChange = format.format(moment - DAY) !== format.format(moment + DAY);
        return isChange || isQuiet === isInside;
      }),
    );
  });
});
