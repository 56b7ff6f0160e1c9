import { describe, expect, it } from '@jest/globals';
import { uuidV7 } from './uuid-v7.js';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe(uuidV7.name, () => {
  it('begins with the time, as in the example of RFC 9562', () => {
    expect(uuidV7(0x017f22e279b0)).toMatch(/^017f22e2-79b0-7/);
  });

  it('has version 7 and the variant of the RFC', () => {
    for (let time = 0; time < 1000; time += 1) expect(uuidV7(time)).toMatch(VERSION_7);
  });

  it('sorts by time as text, and differs within a millisecond', () => {
    const times = [0, 1, 255, 256, 65_536, Date.now(), Date.now() + 1];
    const ids = times.map((time) => uuidV7(time));
    expect(ids.toSorted()).toEqual(ids);
    expect(uuidV7(1)).not.toBe(uuidV7(1));
  });
});
