import { describe, expect, it } from '@jest/globals';
import { timeOf } from './time-text.rules.js';

describe(timeOf.name, () => {
  it.each([
    ['2026-01-05T09:00:00Z', '2026-01-05T09:00:00'],
    ['2026-01-05T09:00:00.123456+05:30', '2026-01-05T03:30:00'],
    ['2026-01-05 09:00', '2026-01-05T09:00:00'],
    ['2026-01-05', '2026-01-05T00:00:00'],
  ])('reads %s', (text, time) => {
    expect(timeOf(text)?.toISOString()).toBe(`${time}.000Z`);
  });

  it.each([
    '',
    '1496701800',
    'Jun 5th 2017, 10:30PM',
    '31 December 2017',
    '31 Dec 2017 5:30 am IST',
    '29 Feb 2024 23:59:59 UTC',
    '2026-02-30',
    '2026-01-05T24:30:00Z',
    'tomorrow',
    'hello world',
    '2026-13-05',
    '30 Feb 2024',
    '5 May',
    '5 May 2024 25:00',
    '5 May 2024 5 May 2024',
    '1969-12-31T00:00:00+32:00',
    '0001-01-01T01:00:00+02:00',
    '12345678901',
    'constructor 5 May 2024',
  ])('reads nothing in %j', (text) => {
    expect(timeOf(text)).toBeUndefined();
  });
});
