import { describe, expect, it } from '@jest/globals';
import type { NotificationHistory } from '../notification-history.repository.js';
import { explain } from './explain.rules.js';
import type { NotificationFacts } from './notification-facts.repository.js';

const SENT_AT = Date.UTC(2027, 0, 1);

const NOW = SENT_AT / 1000 + 1000;

/** The facts of an account that every rule would notify. */
const facts: NotificationFacts = {
  isSender: false,
  isRecipient: true,
  isPerson: true,
  isActive: true,
  isSilent: false,
  isRead: false,
  isInChannel: false,
  isMentioned: false,
  isMentionedViaGroup: false,
  isWildcardMentioned: false,
  wishes: {
    isPushEnabled: true,
    isPushedChannels: false,
    isPushedWildcards: true,
    isPushedFollowedTopics: true,
    isPushedFollowedWildcards: true,
    isPushedOnline: false,
  },
  subscription: null,
  topicVisibility: null,
  activity: { activeAt: null, leftAt: null, hasQueue: false },
  hasMutedSender: false,
  devices: 1,
  oldDevices: 0,
  isWaiting: false,
  isDeferred: false,
  isHeld: false,
  isPushed: false,
  reminder: null,
  reminderSeconds: 0,
  quiet: { snoozedUntil: 0, quietUntil: null, exceptions: [], isFromVip: false, delaySeconds: 0 },
  sentAt: SENT_AT / 1000,
  now: NOW,
};
const activeBefore = (seconds: number) => ({
  activity: { ...facts.activity, activeAt: NOW - seconds },
});

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
  receipts: [],
});

describe(explain, () => {
  it.each<[string, Partial<NotificationFacts>, object]>([
    ['of unknown activity', {}, { reason: 'unknown' }],
    ['active 201 s ago', activeBefore(201), { reason: 'unknown' }],
    [
      'active 200 s ago',
      activeBefore(200),
      { reason: 'active', text: expect.stringMatching(/^Not notified: .* 200 s ago/) },
    ],
    [
      'active, of which a message waits',
      { ...activeBefore(0), isDeferred: true },
      {
        reason: 'active',
        text: expect.stringMatching(/^Not notified yet: .* when the account has left/),
      },
    ],
    [
      'that has left, of which a message waits',
      { ...activeBefore(201), isDeferred: true },
      { reason: 'waiting', text: expect.stringMatching(/^Not notified yet: .* has left/) },
    ],
    [
      'whose last event queue has ended',
      { activity: { activeAt: NOW - 20, leftAt: NOW - 10, hasQueue: false } },
      { reason: 'unknown' },
    ],
    [
      'with another event queue',
      { activity: { activeAt: NOW - 20, leftAt: NOW - 10, hasQueue: true } },
      { reason: 'active' },
    ],
    [
      'with quiet hours',
      { quiet: { ...facts.quiet, quietUntil: NOW + 60 }, isHeld: true },
      {
        reason: 'quiet_hours',
        text: 'Not notified yet: the account has quiet hours until 2027-01-01T00:17:40.000Z. It is decided again then.',
      },
    ],
    [
      'with quiet hours that let the message through',
      { quiet: { ...facts.quiet, quietUntil: NOW + 60, exceptions: ['direct'] } },
      { reason: 'unknown' },
    ],
    [
      'that has snoozed longer than its quiet hours',
      { quiet: { ...facts.quiet, quietUntil: NOW + 60, snoozedUntil: NOW + 61 } },
      { reason: 'snoozed' },
    ],
    [
      'that waits at the desk',
      { quiet: { ...facts.quiet, delaySeconds: 1001 }, ...activeBefore(1) },
      { reason: 'delayed' },
    ],
    ['whose quiet time has just ended', { isHeld: true }, { reason: 'waiting' }],
    ['of which a newer message was shown', { isPushed: true }, { reason: 'caught_up' }],
    ['that has read the message', { isRead: true }, { reason: 'read' }],
    ['of a silent message', { isSilent: true }, { reason: 'silent' }],
    [
      'that wants notifications while it is active',
      { ...activeBefore(1), wishes: { ...facts.wishes, isPushedOnline: true } },
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

  it('tells when the account is reminded, unless it has read the message', () => {
    const reminded = { ...facts, reminder: { sent: 1, dueAt: NOW + 60 } };
    expect(explain(reminded, [notification({ delivered: 2 })])).toMatchObject({
      reason: 'notified',
      text: 'Notified: 2 delivered. Reminder 2 of 3 is due at 2027-01-01T00:17:40.000Z, if the message is still unread then.',
    });
    expect(explain({ ...reminded, isRead: true }, [notification({ delivered: 2 })]).text).toBe(
      'Notified: 2 delivered.',
    );
  });

  it('needs the message if the ledger has only its removal', () => {
    expect(explain(null, [notification({}, 'remove')])).toMatchObject({
      reason: 'no_message',
      rules: [],
    });
  });
});
