import { describe, expect, it } from '@jest/globals';
import type { NotificationHistory } from '../notification-history.repository.js';
import { explain } from './explain.rules.js';
import type { NotificationFacts } from './notification-facts.repository.js';

const SENT_AT = Date.UTC(2027, 0, 1);

/** The facts of an account that every rule would notify. */
const facts: NotificationFacts = {
  sentAt: new Date(SENT_AT),
  isSender: false,
  isRecipient: true,
  isPerson: true,
  isActive: true,
  hasMutedSender: false,
  isRead: false,
  trigger: 'direct_message',
  isInChannel: false,
  isMuted: false,
  devices: 1,
  oldDevices: 0,
  isPushedOnline: false,
  isWaiting: false,
  activeAt: null,
};
const activeBefore = (seconds: number) => ({ activeAt: new Date(SENT_AT - seconds * 1000) });

const notification = (
  states: NotificationHistory['states'],
  kind: NotificationHistory['kind'] = 'message',
): NotificationHistory => ({
  id: 'n',
  kind,
  userId: 7,
  messageIds: [1],
  acceptedAt: new Date(SENT_AT),
  expiresAt: new Date(SENT_AT),
  states,
  deliveries: [],
});

describe(explain, () => {
  it.each<[string, Partial<NotificationFacts>, object]>([
    ['of unknown activity', {}, { reason: 'unknown' }],
    ['active 201 s before the message', activeBefore(201), { reason: 'unknown' }],
    [
      'active 200 s before the message',
      activeBefore(200),
      { reason: 'active', text: expect.stringMatching(/^Not notified: .* 200 s before/) },
    ],
    ['active with the message', activeBefore(0), { text: expect.stringMatching(/^Not notified/) }],
    [
      'active after the message',
      activeBefore(-1),
      { reason: 'active', text: expect.stringMatching(/^Probably not notified/) },
    ],
    [
      'that wants notifications while it is active',
      { ...activeBefore(1), isPushedOnline: true },
      { reason: 'unknown' },
    ],
    [
      'that no worker has reached',
      { ...activeBefore(1), isWaiting: true },
      { reason: 'waiting', text: expect.stringMatching(/^Not notified yet/) },
    ],
    [
      'without a phone that no worker has reached',
      { devices: 0, isWaiting: true },
      { reason: 'no_device' },
    ],
  ])('explains for an account %s', (_, different, expected) => {
    expect(explain({ ...facts, ...different }, [])).toMatchObject(expected);
  });

  it('sums the deliveries of all notifications of the message', () => {
    const notifications = [
      notification({ delivered: 2, pending: 1 }),
      notification({ delivered: 3 }),
      notification({ delivered: 9 }, 'remove'),
    ];
    expect(explain(facts, notifications)).toMatchObject({
      reason: 'notified',
      text: 'Notified: 5 delivered, 1 pending. The message was read or deleted later, which removed it.',
    });
    expect(explain(null, [notification({})])).toMatchObject({
      reason: 'notified',
      text: 'Notified: to no phone.',
    });
  });

  it('needs the message if the ledger has only its removal', () => {
    expect(explain(null, [notification({}, 'remove')])).toMatchObject({
      reason: 'no_message',
      rules: [],
    });
  });
});
