import { describe, expect, it } from '@jest/globals';
import { CircuitBreakers } from '#push/breakers';
import { breakerReports, pruneAlarms } from './worker-report.js';

const NOW = 1_000_000;

describe(breakerReports, () => {
  it('names credentials by their platform', () => {
    const breakers = new CircuitBreakers(() => NOW);
    breakers.of({ platform: 'fcm', credential: 'project', topic: null });
    expect(breakerReports(breakers)).toEqual([
      {
        key: 'fcm:project',
        platform: 'fcm',
        state: 'closed',
        cause: null,
        reason: null,
        since: null,
        reopensAt: null,
      },
    ]);
  });
});

describe(pruneAlarms, () => {
  it('names apps by their platform', () => {
    const alarm = { since: NOW, dead: 10, answers: 10, share: 1 };
    const alarms = [
      { ...alarm, platform: 'apns', appId: 'org.example.chat' } as const,
      { ...alarm, platform: 'fcm', appId: null } as const,
    ];
    const report = { since: NOW, dead: 10, answers: 10 };
    expect(pruneAlarms({ alarms })).toEqual([
      { ...report, key: 'apns:org.example.chat', platform: 'apns' },
      { ...report, key: 'fcm', platform: 'fcm' },
    ]);
  });
});
