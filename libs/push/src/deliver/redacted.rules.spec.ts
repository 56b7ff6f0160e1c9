import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redacted } from './redacted.rules.js';

describe(redacted, () => {
  it('keeps the shape and the numbers, and says how long each text is', () => {
    const payload = { aps: { alert: { title: 'Café', body: '🎉' }, badge: 0 }, ids: [7, 'a'] };
    expect(redacted(payload)).toEqual({
      aps: { alert: { title: '<4 characters>', body: '<1 characters>' }, badge: 0 },
      ids: [7, '<1 characters>'],
    });
  });

  it('lets no text through', () => {
    const secret = 'the-secret-text';
    const holder = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        fc.constant(secret),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(holder, (payload) => {
        expect(JSON.stringify(redacted(payload))).not.toContain(secret);
      }),
    );
  });
});
