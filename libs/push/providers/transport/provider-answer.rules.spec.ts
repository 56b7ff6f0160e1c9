import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from './provider-answer.rules.js';

const now = Date.parse('2026-01-01T00:00:00Z');

describe(parseRetryAfter.name, () => {
  it.each([
    ['5', 5000],
    [' 0.5 ', 500],
    ['7200', 3_600_000],
    ['9'.repeat(400), 3_600_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['Wednesday, 31-Dec-25 23:00:00 GMT', 0],
    ['soon', null],
    ['5, 10', null],
    ['-1', null],
    ['in 5 minutes', null],
    [undefined, null],
  ])('parses %j as %j', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
