import { describe, expect, it } from '@jest/globals';
import { durationText, timeJson, timeText } from './times.rules.js';

const at = new Date('2026-11-21T14:10:03.456Z');

describe(timeText.name, () => {
  it('is in UTC with seconds', () => {
    expect(timeText(at)).toBe('2026-11-21 14:10:03');
    expect(timeText(null)).toBeNull();
  });
});

describe(timeJson.name, () => {
  it('is ISO 8601', () => {
    expect(timeJson(at)).toBe('2026-11-21T14:10:03.456Z');
    expect(timeJson(null)).toBeNull();
  });
});

describe(durationText.name, () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1540, '1.5 s'],
    [59_000, '59.0 s'],
    [60_000, '1 min'],
    [7_199_999, '1 h'],
    [172_800_000, '2 d'],
    [null, null],
  ])('says %j ms as %j', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
