import { describe, expect, it } from '@jest/globals';
import { counted } from './counted.js';

describe(counted.name, () => {
  it('uses the singular for one only', () => {
    expect([0, 1, 2].map((count) => counted(count, 'event queue'))).toEqual([
      '0 event queues',
      '1 event queue',
      '2 event queues',
    ]);
  });
});
