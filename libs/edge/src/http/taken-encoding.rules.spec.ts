import { describe, expect, it } from '@jest/globals';
import { takenEncoding } from './taken-encoding.rules.js';

describe(takenEncoding.name, () => {
  it.each([
    [undefined, null],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1.0, gzip;q=0.5', 'br'],
    ['gzip;q=0, br', 'br'],
    ['*', 'gzip'],
    ['gzip;q=0', null],
  ])('of "%s" takes %s', (header, encoding) => {
    expect(takenEncoding(header)).toBe(encoding);
  });
});
