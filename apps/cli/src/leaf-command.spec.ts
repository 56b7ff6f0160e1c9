import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from 'commander';
import { parseTime } from './leaf-command.js';

describe(parseTime.name, () => {
  it.each([
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T00:00:00+01:00', '2026-12-31T23:00:00.000Z'],
  ])('accepts %s', (text, time) => {
    expect(parseTime(text).toISOString()).toBe(time);
  });

  it.each(['5', '01/02/2027', '2027-02-30', '2027-01-01T00:00:00'])('refuses %s', (text) => {
    expect(() => parseTime(text)).toThrow(InvalidArgumentError);
  });
});
