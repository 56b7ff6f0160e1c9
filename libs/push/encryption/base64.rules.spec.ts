import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fromStrictBase64 } from './base64.rules.js';

describe(fromStrictBase64.name, () => {
  it('decodes what it should', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromStrictBase64(Buffer.from(bytes).toString('base64'))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each(['YQ', 'YQ=', 'YQ==\n', ' YQ==', 'Y Q==', 'YR==', 'YWI-', 'YQ==YQ==', 'ä===', '='])(
    'refuses %j',
    (text) => {
      expect(fromStrictBase64(text)).toBeNull();
    },
  );
});
