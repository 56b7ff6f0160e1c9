import { describe, expect, it } from '@jest/globals';
import { mapMaybe } from './maybe-promise.js';

const double = (value: number) => 2 * value;

describe(mapMaybe.name, () => {
  it('maps a value at once', () => {
    expect(mapMaybe(2, double)).toBe(4);
    expect(mapMaybe(0, double)).toBe(0);
  });

  it('maps the value of a promise', async () => {
    expect(await mapMaybe(Promise.resolve(2), double)).toBe(4);
  });

  it('maps no null', async () => {
    expect(mapMaybe(null, double)).toBeNull();
    expect(await mapMaybe(Promise.resolve(null), double)).toBeNull();
  });
});
