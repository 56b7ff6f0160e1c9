import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesIn } from './web-push.rules.js';

describe(bytesIn.name, () => {
  it('reads bytes with and without padding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (given) => {
        const bytes = Buffer.from(given);
        const text = bytes.toString('base64url');
        const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=');
        expect([bytesIn(text), bytesIn(padded)]).toEqual([bytes, bytes]);
      }),
    );
  });

  it.each(['', '=', 'a', 'ab+c', 'ab/c', 'abc\n', 'ab=c', 'abc===', 'ä', 'ab '])(
    'refuses %j',
    (text) => {
      expect(bytesIn(text)).toBeNull();
    },
  );
});
