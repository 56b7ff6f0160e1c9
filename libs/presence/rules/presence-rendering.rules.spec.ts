import { describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming, presenceTimingOf } from './presence-timing.js';
import {
  hiddenTimes,
  renderRealmPresence,
  renderUserPresence,
} from './presence-rendering.rules.js';

const AT = 1_795_252_079;

describe(renderUserPresence.name, () => {
  it('shows an active user as active in both parts', () => {
    const expected = { status: 'active', timestamp: AT };
    expect(renderUserPresence({ activeAt: AT, idleAt: AT }, defaultPresenceTiming, AT)).toEqual({
      active_timestamp: AT,
      idle_timestamp: AT,
      website: expected,
      aggregated: expected,
    });
  });

  it('shows the idle time of an idle user', () => {
    const expected = { status: 'idle', timestamp: AT };
    expect(
      renderUserPresence({ activeAt: AT - 71, idleAt: AT }, defaultPresenceTiming, AT),
    ).toEqual({
      active_timestamp: AT - 71,
      idle_timestamp: AT,
      website: expected,
      aggregated: expected,
    });
  });

  it.each([
    [200, 'active'],
    [201, 'offline'],
  ])('%d seconds after the last report, shows %s', (laterS, status) => {
    const times = { activeAt: AT, idleAt: AT };
    expect(renderUserPresence(times, defaultPresenceTiming, AT + laterS + 0.9)).toEqual({
      active_timestamp: AT,
      idle_timestamp: AT,
      website: { status: 'active', timestamp: AT },
      aggregated: { status, timestamp: AT },
    });
  });

  it('uses the threshold of the installation', () => {
    const longTiming = presenceTimingOf({ pingIntervalSeconds: 60, offlineThresholdSeconds: 600 });
    const { aggregated } = renderUserPresence({ activeAt: AT, idleAt: AT }, longTiming, AT + 600);
    expect(aggregated.status).toBe('active');
  });
});

describe(hiddenTimes.name, () => {
  it.each([
    ['who was there a moment ago', AT, AT],
    ['who was idle a moment ago', 0, AT],
  ])('shows %s as offline and idle to every reader', (_who, activeAt, idleAt) => {
    const times = hiddenTimes({ activeAt, idleAt }, defaultPresenceTiming, AT + 0.9);
    expect(times.idleAt).toBe(AT - 320);
    expect(renderUserPresence(times, defaultPresenceTiming, AT)).toMatchObject({
      website: { status: 'idle' },
      aggregated: { status: 'offline' },
    });
  });

  it('keeps older times', () => {
    const times = { activeAt: AT - 5000, idleAt: AT - 4000 };
    expect(hiddenTimes(times, defaultPresenceTiming, AT)).toEqual(times);
  });
});

describe(renderRealmPresence.name, () => {
  it('is valid JSON in the legacy format for any address', async () => {
    const users = [
      { email: 'a"b@example.org', activeAt: AT, idleAt: AT },
      { email: 'c@example.org', activeAt: 0, idleAt: AT },
    ];
    const expected = (status: string) => ({
      aggregated: { client: 'website', status, timestamp: AT },
      website: { client: 'website', status, timestamp: AT, pushable: false },
    });
    expect(JSON.parse(await renderRealmPresence(users, AT * 1000))).toEqual({
      server_timestamp: AT,
      presences: { 'a"b@example.org': expected('active'), 'c@example.org': expected('idle') },
    });
  });

  it('always has a fraction in the timestamp', async () => {
    expect(await renderRealmPresence([], AT * 1000)).toBe(
      '{"server_timestamp":1795252079.000,"presences":{}}',
    );
  });
});
