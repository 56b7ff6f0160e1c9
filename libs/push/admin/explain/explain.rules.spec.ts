import { describe, expect, it } from '@jest/globals';
import { explain } from './explain.rules.js';
import type { NotificationFacts } from './notification-facts.repository.js';

const SENT_AT = Date.UTC(2026, 0, 1);

/** Of a direct message to an account that was active so long before it. */
const factsWith = (secondsBefore: number): NotificationFacts => ({
  sentAt: new Date(SENT_AT),
  isSender: false,
  isRecipient: true,
  isPerson: true,
  isActive: true,
  hasMutedSender: false,
  isRead: false,
  trigger: 'direct',
  isInChannel: false,
  isMuted: false,
  devices: 1,
  oldDevices: 0,
  isPushedOnline: false,
  isWaiting: false,
  activeAt: new Date(SENT_AT - secondsBefore * 1000),
});

describe(explain, () => {
  it.each([
    [10, 'the account was active 10 s before the message, not more than 200 s'],
    [200, 'the account was active 200 s before the message, not more than 200 s'],
  ])('says that %i seconds before the message are too few', (secondsBefore, detail) => {
    expect(explain(factsWith(secondsBefore), [])).toMatchObject({
      reason: 'active',
      text: `Not notified: ${detail}.`,
    });
  });

  it('counts an account as away after them', () => {
    expect(explain(factsWith(201), [])).toMatchObject({ reason: 'unknown' });
  });
});
