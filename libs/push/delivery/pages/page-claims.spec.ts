import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MAX_OPEN_MS, type PageClosing } from './open-page.js';
import { PageClaims } from './page-claims.js';
import type { PageRepository, PageRow, PlaceRow } from './page.repository.js';

const page: PageRow = {
  id: '0198c3a1-7b2c-7def-8123-456789ab0000',
  notificationId: null,
  platform: 'fcm',
  content: { kind: 'message', messageId: 5, trigger: 'channel' },
  sequence: 7,
  acceptedAt: 0,
  databaseNow: 0,
  dueAt: 0,
  traceParent: null,
  isExpired: false,
  isBehind: false,
  isAbandoned: false,
  isLeased: true,
  userIds: [1, 2],
  deviceIds: [11, 12],
  states: 'pp',
  realm: { id: 1, name: '', subdomain: '' },
};

const placeAt = (place: number, behindUntil: number | null): PlaceRow => ({
  place,
  behind_until_ms: behindUntil,
  is_addressable: true,
  token: '',
  app_id: null,
  environment: null,
  fcm_target: null,
  wants_badge: false,
  key_generation: 1,
  push_key_id: null,
  push_key_sealed: null,
});

describe(PageClaims.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('counts a place that waits for an earlier delivery as unsent, although the page is closed before its turn', async () => {
    const closings: PageClosing[] = [];
    const pages: Pick<PageRepository, 'claim' | 'close'> = {
      claim: async () => [{ page, places: [placeAt(1, null), placeAt(2, 3000)] }],
      close: async (closing) => closings.push(closing) > 0,
    };
    const sut = new PageClaims(pages as PageRepository, 30_000);
    const claimed = await sut.claim([{ notificationId: page.id, deviceId: 0, page: [11, 12] }]);
    await jest.advanceTimersByTimeAsync(MAX_OPEN_MS);
    const { claim } = claimed[1] ?? {};
    if (claim?.kind !== 'not_yet') throw new Error('It waits');
    await claim.release?.();
    expect(closings).toMatchObject([
      {
        own: [
          { place: 1, mayBeShown: true },
          { place: 2, mayBeShown: false, dueInSeconds: 3 },
        ],
      },
    ]);
  });
});
