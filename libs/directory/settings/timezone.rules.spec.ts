import { describe, expect, it } from '@jest/globals';
import { normalizeTimezone } from './timezone.rules.js';

describe(normalizeTimezone.name, () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['UTC', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('knows %j', (given, name) => {
    expect(normalizeTimezone(given)).toBe(name);
  });

  it.each(['Europe/Atlantis', '+05:30', '-03:00', '5', ' UTC', 'UTC\n', 'x'.repeat(10_000), '🙂'])(
    'knows no %j',
    (given) => {
      expect(normalizeTimezone(given)).toBeNull();
    },
  );
});
