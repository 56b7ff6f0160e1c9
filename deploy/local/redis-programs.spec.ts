import { describe, expect, it } from '@jest/globals';
import { redisVersionIn } from './redis-programs.js';

describe(redisVersionIn.name, () => {
  it.each([
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
    ['Valkey server v=8.0.1 sha=00000000:0 malloc=libc bits=64', '8.0.1'],
    ['Redis server v=10.2 sha=00000000:0', '10.2'],
    ['', undefined],
  ])('reads %j as %s', (printed, version) => {
    expect(redisVersionIn(printed)).toBe(version);
  });
});
