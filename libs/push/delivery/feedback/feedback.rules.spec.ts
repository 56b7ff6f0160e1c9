import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isReported, signatureOf } from './feedback.rules.js';

describe(isReported.name, () => {
  const isDeliveredReported = (percent: number) => (id: string) =>
    isReported({ state: 'delivered', id }, percent);

  it('always holds for what was not delivered', () => {
    for (const state of ['dead_token', 'rejected', 'expired', 'revoked', 'withdrawn'] as const) {
      expect(isReported({ state, id: 'a' }, 0)).toBe(true);
    }
  });

  it('holds for a share of the delivered ones, and for more with a larger share', () => {
    const ids = Array.from({ length: 2000 }, (_, index) => `id ${index}`);
    expect([0, 100].map((percent) => ids.filter(isDeliveredReported(percent)).length)).toEqual([
      0, 2000,
    ]);
    const few = ids.filter(isDeliveredReported(10));
    expect(few.length).toBeGreaterThan(140);
    expect(few.length).toBeLessThan(260);
    fc.assert(
      fc.property(fc.uuid(), fc.nat(100), fc.nat(100), (id, one, other) => {
        const [least, most] = [Math.min(one, other), Math.max(one, other)];
        expect(!isDeliveredReported(least)(id) || isDeliveredReported(most)(id)).toBe(true);
      }),
    );
  });
});

describe(signatureOf.name, () => {
  it('has a signature for each secret, over the time and the body', () => {
    const hmac = (secret: string) =>
      createHmac('sha256', secret).update('1700000000.{"events":[]}').digest('hex');
    expect(signatureOf('{"events":[]}', ['new secret', 'old secret'], 1_700_000_000)).toBe(
      `t=1700000000,v1=${hmac('new secret')},v1=${hmac('old secret')}`,
    );
  });
});
