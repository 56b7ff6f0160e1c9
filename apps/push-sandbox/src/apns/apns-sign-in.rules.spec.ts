import { describe, expect, it } from '@jest/globals';
import {
  isProviderTokenExpired,
  isTopicOfApp,
  tokenInUseAfter,
  topicNamedBy,
} from './apns-sign-in.rules.js';

describe(topicNamedBy.name, () => {
  it.each([
    ['UID=org.example.chat\nCN=Apple Push Services: org.example.chat', 'org.example.chat'],
    ['CN=x\nUID=org.example.chat', 'org.example.chat'],
    ['CN=UID=org.example.chat', undefined],
    ['CN=Push sandbox', undefined],
  ])('reads %j', (subject, topic) => {
    expect(topicNamedBy(subject)).toBe(topic);
  });
});

describe(isTopicOfApp.name, () => {
  it.each([
    ['org.example.chat', true],
    ['org.example.chat.voip', true],
    ['org.example.chatter', false],
    ['org.example', false],
  ])('for the bundle id %s: %s', (topic, expected) => {
    expect(isTopicOfApp(topic, 'org.example.chat')).toBe(expected);
  });
});

const now = new Date(1_700_000_000_000);
const minutesAgo = (minutes: number) => now.getTime() - minutes * 60_000;

describe(isProviderTokenExpired.name, () => {
  it('expires after an hour', () => {
    expect(isProviderTokenExpired(minutesAgo(60) / 1000, now)).toBe(false);
    expect(isProviderTokenExpired(minutesAgo(60) / 1000 - 1, now)).toBe(true);
  });
});

describe(tokenInUseAfter.name, () => {
  it('accepts the first token', () => {
    expect(tokenInUseAfter(undefined, 'a', now)).toEqual({ token: 'a', sinceMs: now.getTime() });
  });

  it('counts the time from the last change, not from the last use', () => {
    const current = { token: 'a', sinceMs: minutesAgo(50) };
    expect(tokenInUseAfter(current, 'a', now)).toBe(current);
  });

  it('accepts another token after 20 minutes, not before', () => {
    expect(tokenInUseAfter({ token: 'a', sinceMs: minutesAgo(20) }, 'b', now)).toEqual({
      token: 'b',
      sinceMs: now.getTime(),
    });
    expect(tokenInUseAfter({ token: 'a', sinceMs: minutesAgo(19.9) }, 'b', now)).toBe(
      'too-many-updates',
    );
  });
});
