import { describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming, presenceTimingOf } from '#contracts';
import { hiddenTimes, realmPicture, userPicture } from './presence-picture.rules.js';

const AT = 1_795_252_079;

describe(userPicture.name, () => {
  it('tells of somebody who was active what both parts say', () => {
    const told = { status: 'active', timestamp: AT };
    expect(userPicture({ activeAt: AT, idleAt: AT }, defaultPresenceTiming, AT)).toEqual({
      website: told,
      aggregated: told,
    });
  });

  it('tells of somebody who is only connected when that was', () => {
    const told = { status: 'idle', timestamp: AT };
    expect(userPicture({ activeAt: AT - 71, idleAt: AT }, defaultPresenceTiming, AT)).toEqual({
      website: told,
      aggregated: told,
    });
  });

  it.each([
    [200, 'active'],
    [201, 'offline'],
  ])('%d seconds after the last time, says %s', (laterS, status) => {
    const times = { activeAt: AT, idleAt: AT };
    expect(userPicture(times, defaultPresenceTiming, AT + laterS + 0.9)).toEqual({
      website: { status: 'active', timestamp: AT },
      aggregated: { status, timestamp: AT },
    });
  });

  it('goes by the threshold of the installation', () => {
    const patient = presenceTimingOf(60, 600);
    const { aggregated } = userPicture({ activeAt: AT, idleAt: AT }, patient, AT + 600);
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
    expect(userPicture(times, defaultPresenceTiming, AT)).toMatchObject({
      website: { status: 'idle' },
      aggregated: { status: 'offline' },
    });
  });

  it('leaves what is older as it is', () => {
    const times = { activeAt: AT - 5000, idleAt: AT - 4000 };
    expect(hiddenTimes(times, defaultPresenceTiming, AT)).toEqual(times);
  });
});

describe(realmPicture.name, () => {
  it('is JSON of the legacy format, whatever an address holds', () => {
    const people = [
      { email: 'a"b@example.org', activeAt: AT, idleAt: AT },
      { email: 'c@example.org', activeAt: 0, idleAt: AT },
    ];
    const told = (status: string) => ({
      aggregated: { client: 'website', status, timestamp: AT },
      website: { client: 'website', status, timestamp: AT, pushable: false },
    });
    expect(JSON.parse(realmPicture(people, AT * 1000))).toEqual({
      server_timestamp: AT,
      presences: { 'a"b@example.org': told('active'), 'c@example.org': told('idle') },
    });
  });

  it('always has a fraction in its time', () => {
    expect(realmPicture([], AT * 1000)).toBe('{"server_timestamp":1795252079.000,"presences":{}}');
  });
});
