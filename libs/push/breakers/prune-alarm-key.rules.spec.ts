import { describe, expect, it } from '@jest/globals';
import { isAlarmOfApp, pruneAlarmKey, type WatchedApp } from './prune-alarm-key.rules.js';

const apple: WatchedApp = { platform: 'apns', appId: 'org.a', serverId: null };
const google: WatchedApp = { platform: 'fcm', appId: null, serverId: null };

describe(pruneAlarmKey, () => {
  it.each([
    [apple, 'apns:org.a'],
    [google, 'fcm'],
    [{ ...apple, serverId: 5 }, 'apns:org.a of server 5'],
    [{ ...google, serverId: 5 }, 'fcm:fcm of server 5'],
  ])('of %j is %s', (app, key) => {
    expect(pruneAlarmKey(app)).toBe(key);
  });
});

describe(isAlarmOfApp, () => {
  it.each([
    ['apns:org.a', true],
    ['apns:org.a of server 5', true],
    ['apns:org.b', false],
    ['apns:org.ab', false],
    ['fcm', false],
    ['fcm:org.a', false],
  ])('for an app of Apple and an alarm of %s: %s', (key, expected) => {
    expect(isAlarmOfApp(key, apple)).toBe(expected);
  });

  it.each([
    ['fcm', true],
    ['fcm:fcm of server 5', true],
    ['apns:org.a', false],
  ])('for Google and an alarm of %s: %s', (key, expected) => {
    expect(isAlarmOfApp(key, google)).toBe(expected);
  });
});
