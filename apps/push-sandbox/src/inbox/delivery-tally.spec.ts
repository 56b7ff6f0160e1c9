import { describe, expect, it } from '@jest/globals';
import { DeliveryTally } from './delivery-tally.js';

describe(DeliveryTally.name, () => {
  it('counts a repetition on the same phone as a duplicate', () => {
    const sut = new DeliveryTally();
    const count = (token: string, identity: string, status: number | null) =>
      sut.count({ platform: 'apns', token, identity }, { status });
    count('aa', '1', 200);
    count('AA', '1', 200);
    count('bb', '1', 200);
    count('aa', '2', 503);
    count('aa', '2', 503);
    count('aa', '3', null);

    expect(sut.summary()).toEqual({
      apns: {
        '200': { attempts: 3, distinct: 2, duplicates: 1 },
        '503': { attempts: 2, distinct: 1, duplicates: 0 },
        unanswered: { attempts: 1, distinct: 1, duplicates: 0 },
      },
      fcm: {},
      web: {},
    });
  });
});
