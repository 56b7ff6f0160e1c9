import { describe, expect, it } from '@jest/globals';
import { serverOf } from './server-of.rules.js';

describe(serverOf.name, () => {
  it.each([
    ['https://a.example/b', 'a.example', 443, true],
    ['http://a.example', 'a.example', 80, false],
    ['https://a.example:8443', 'a.example', 8443, true],
    ['http://[2001:db8::1]:8080/', '2001:db8::1', 8080, false],
  ])('finds the server of %s', (url, host, port, isTls) => {
    expect(serverOf(new URL(url))).toEqual({ host, port, isTls });
  });
});
