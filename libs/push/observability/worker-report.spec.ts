import { describe, expect, it } from '@jest/globals';
import { CircuitBreakers } from '#push/breakers';
import { breakerReports } from './worker-report.js';

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
