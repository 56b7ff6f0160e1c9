import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pushTo } from '#test/outgoing-push';
import { webPushHeaders } from './web-push-request.rules.js';

const NOW = 1_700_000_000_000;
const endpoint = 'https://push.example.org/x';
const headers = (changes: Parameters<typeof pushTo>[1] = {}) =>
  webPushHeaders(pushTo(endpoint, changes), NOW);

describe(webPushHeaders.name, () => {
  it.each([
    [1800_000, '1800'],
    [1999, '1'],
    [999, '1'],
    [0, '1'],
    [-60_000, '1'],
  ])('has the time to live of a push that ends in %i ms', (ms, ttl) => {
    expect(headers({ expiresAt: NOW + ms }).ttl).toBe(ttl);
  });

  it('has a topic that every service takes, for the notification at the subscription alone', () => {
    const topics = new Set<string>();
    fc.assert(
      fc.property(fc.uuid(), fc.webUrl(), (notificationId, token) => {
        const { topic } = webPushHeaders(pushTo(token, { notificationId }), NOW);
        expect(topic).toMatch(/^[\w-]{32}$/);
        expect(Buffer.from(topic, 'base64url')).toHaveLength(24);
        topics.add(topic);
      }),
      { numRuns: 50 },
    );
    expect(topics.size).toBeGreaterThan(40);
    const notificationId = '0192b0c4-0000-7000-8000-000000000000';
    const [one, again] = [
      headers({ notificationId, deliveryId: '1' }),
      headers({ notificationId, deliveryId: '2' }),
    ];
    expect(one.topic).toBe(again.topic);
    expect(headers({ replaces: notificationId }).topic).toBe(one.topic);
  });

  it('has the urgency of the content', () => {
    const message = {
      id: 1,
      sentAt: 1,
      text: 'text',
      sender: { id: 1, email: 'a@a.test', fullName: 'A', avatarUrl: '' },
      place: { kind: 'channel', channelId: 1, channelName: 'c', topic: 't' },
    } as const;
    const ofMessage = (kind: 'direct' | 'mention' | 'wildcard_mention' | 'channel') =>
      headers({ content: { kind: 'message', trigger: { kind }, message } }).urgency;
    expect(ofMessage('direct')).toBe('high');
    expect(ofMessage('mention')).toBe('high');
    expect(ofMessage('wildcard_mention')).toBe('high');
    expect(ofMessage('channel')).toBe('normal');
    expect(headers().urgency).toBe('high');
    expect(headers({ content: { kind: 'remove', messageIds: [1] } }).urgency).toBe('low');
    const confirm = { kind: 'confirm', subscriptionId: 1, token: 'x' } as const;
    expect(headers({ content: confirm }).urgency).toBe('high');
  });
});
