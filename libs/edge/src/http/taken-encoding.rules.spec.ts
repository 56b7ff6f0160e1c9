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
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=1.0', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity, gzip', 'gzip'],
    ['GZip', 'gzip'],
  ])('of "%s" takes %s', (header, encoding) => {
    expect(takenEncoding(header)).toBe(encoding);
  });
});
