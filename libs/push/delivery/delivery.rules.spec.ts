import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deliveryId, recheckDelayMs, redacted, retryDelayMs } from './delivery.rules.js';

const hint = { firstDelayMs: 1000, retryAfterMs: null };

describe(retryDelayMs.name, () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [9, 256_000],
    [10, 300_000],
    [200, 300_000],
  ])('doubles up to five minutes: after %i attempts %i ms', (attempts, expected) => {
    expect(retryDelayMs(attempts, hint, 0)).toBe(expected);
  });

  it('never undercuts a Retry-After', () => {
    expect(retryDelayMs(1, { ...hint, retryAfterMs: 7000 }, 0)).toBe(7000);
    expect(retryDelayMs(5, { ...hint, retryAfterMs: 7000 }, 0)).toBe(16_000);
  });

  it('cuts a Retry-After of more than an hour', () => {
    expect(retryDelayMs(1, { ...hint, retryAfterMs: 86_400_000 }, 0)).toBe(3_600_000);
  });

  it('adds jitter of at most half as much again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.option(fc.integer({ min: 0, max: 7_200_000 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, retryAfterMs, chance) => {
          const least = retryDelayMs(attempts, { ...hint, retryAfterMs }, 0);
          const delayMs = retryDelayMs(attempts, { ...hint, retryAfterMs }, chance);
          return delayMs >= least && delayMs <= least * 1.5;
        },
      ),
      { examples: [[1, 1_567_135, 0.9999999999999998]] },
    );
  });
});

describe(recheckDelayMs.name, () => {
  it.each([
    [0, 20],
    [40, 20],
    [300, 150],
    [2000, 1000],
    [1_800_000, 1000],
  ])('grows with the time that a delivery has waited: after %i ms, in %i', (waitedMs, expected) => {
    expect(recheckDelayMs(waitedMs)).toBe(expected);
  });
});

const notificationId = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11';

describe(deliveryId.name, () => {
  it('is a UUID of version 8', () => {
    expect(deliveryId(notificationId, 1)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('is the same for the same delivery only', () => {
    expect(deliveryId(notificationId, 1)).toBe(deliveryId(notificationId, 1));
    expect(deliveryId(notificationId, 1)).not.toBe(deliveryId(notificationId, 2));
  });
});

describe(redacted, () => {
  it('keeps the shape and the numbers, and replaces each text by its length', () => {
    const payload = { aps: { alert: { title: 'Café', body: '🎉' }, badge: 0 }, ids: [7, 'a'] };
    expect(redacted(payload)).toEqual({
      aps: { alert: { title: '<4 characters>', body: '<1 characters>' }, badge: 0 },
      ids: [7, '<1 characters>'],
    });
  });

  it('contains no text', () => {
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
