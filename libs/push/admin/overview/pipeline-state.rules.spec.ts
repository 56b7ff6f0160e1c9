import { describe, expect, it } from '@jest/globals';
import type { BreakerReport, WorkerReport } from '#push/observability';
import { credentialsOf, platformStatesOf, pruneAlarmsOf } from './pipeline-state.rules.js';
import { aBreaker, aPipeline, aWorker } from './pipeline.fixture.js';

const now = 1000;

describe(credentialsOf.name, () => {
  it('has the worst state of a credential of all workers', () => {
    const shut = aBreaker({ state: 'open', cause: 'outage', reopensAt: 5 });
    const workers = [aBreaker(), shut, aBreaker({ state: 'half_open' }), shut].map((breaker) =>
      aWorker({ breakers: [breaker] }),
    );
    expect(credentialsOf(workers)).toEqual([{ ...shut, workers: 2, ofWorkers: 4 }]);
  });

  it('sorts by state, the worst first, then by name', () => {
    const workers = [
      aWorker({ breakers: [aBreaker({ key: 'fcm:b' }), aBreaker({ key: 'fcm:a' })] }),
      aWorker({ breakers: [aBreaker({ key: 'fcm:c', state: 'open' })] }),
    ];
    expect(credentialsOf(workers).map(({ key }) => key)).toEqual(['fcm:c', 'fcm:a', 'fcm:b']);
  });
});

describe(pruneAlarmsOf.name, () => {
  it('has each alarm once, from the worker that raised it first', () => {
    const alarm = { key: 'apns:T', platform: 'apns', since: 20, dead: 4, answers: 5 } as const;
    const workers = [
      aWorker({ pruneAlarms: [alarm] }),
      aWorker({ pruneAlarms: [{ ...alarm, since: 10, dead: 9 }] }),
    ];
    expect(pruneAlarmsOf(workers)).toEqual([{ ...alarm, since: 10, dead: 9 }]);
  });
});

describe(platformStatesOf.name, () => {
  it('sums the queues of a platform only', () => {
    const queues = [
      { name: 'push-fcm', waiting: 1, delayed: 2, active: 3, oldestWaitingMs: 40 },
      { name: 'push-fcm-bulk', waiting: 10, delayed: 20, active: 30, oldestWaitingMs: 400 },
      { name: 'push-control', waiting: 100, oldestWaitingMs: 4000 },
    ] as const;
    const { apns, fcm } = platformStatesOf(aPipeline([aWorker()], queues), now);
    expect(fcm).toMatchObject({ waiting: 11, delayed: 22, active: 33, oldestWaitingMs: 400 });
    expect(apns).toMatchObject({ waiting: 0, delayed: 0, active: 0, oldestWaitingMs: null });
  });

  it('is paused if one of its queues is', () => {
    const { apns, fcm } = platformStatesOf(
      aPipeline([aWorker()], [{ name: 'push-apns-bulk', isPaused: true }]),
      now,
    );
    expect([apns.isPaused, fcm.isPaused]).toEqual([true, false]);
  });

  it.each(['waiting', 'delayed', 'active'])(
    'has no workers if a queue with a job that is %s has none',
    (state) => {
      const { apns, fcm } = platformStatesOf(
        aPipeline(
          [aWorker({ queues: ['push-apns'] })],
          [
            { name: 'push-apns', [state]: 1 },
            { name: 'push-fcm-bulk', [state]: 1 },
          ],
        ),
        now,
      );
      expect([apns.hasWorkers, fcm.hasWorkers]).toEqual([true, false]);
    },
  );

  it('has workers while those of an empty queue are stopped, but not without any worker', () => {
    const hasWorkers = (workers: WorkerReport[]) =>
      platformStatesOf(aPipeline(workers), now).fcm.hasWorkers;
    expect(hasWorkers([aWorker({ queues: ['push-fcm'] })])).toBe(true);
    expect(hasWorkers([aWorker({ queues: ['push-apns'] })])).toBe(true);
    expect(hasWorkers([])).toBe(false);
  });

  it('ignores silent workers', () => {
    const hasWorkers = (at: number) => platformStatesOf(aPipeline([aWorker()]), at).fcm.hasWorkers;
    expect([hasWorkers(5000), hasWorkers(5001)]).toEqual([true, false]);
  });

  it('is stopped if no breaker is closed', () => {
    const other = aBreaker({ key: 'fcm:other' });
    const shut = aBreaker({ state: 'open' });
    const stateOf = (breakers: BreakerReport[]) => {
      const { isStopped, isPartlyStopped } = platformStatesOf(
        aPipeline([aWorker({ breakers })]),
        now,
      ).fcm;
      return [isStopped, isPartlyStopped];
    };
    expect(stateOf([])).toEqual([false, false]);
    expect(stateOf([shut, other])).toEqual([false, true]);
    expect(stateOf([shut])).toEqual([true, true]);
    expect(stateOf([aBreaker({ key: 'apns:T', platform: 'apns', state: 'open' })])).toEqual([
      false,
      false,
    ]);
  });
});
