import { describe, expect, it } from '@jest/globals';
import type { GateStatus } from '../observe/gate-statuses.js';
import { aGate, aPipeline, aWorker } from './pipeline.fixture.js';
import { credentialsOf, platformStatesOf, pruneAlarmsOf } from './pipeline-state.rules.js';

const now = 1000;

describe(credentialsOf.name, () => {
  it('shows a credential as the worst off of its workers has it', () => {
    const shut = aGate({ state: 'shut', cause: 'outage', reopensAt: 5 });
    const workers = [aGate(), shut, aGate({ state: 'probing' }), shut].map((gate) =>
      aWorker({ gates: [gate] }),
    );
    expect(credentialsOf(workers)).toEqual([{ ...shut, workers: 2, ofWorkers: 4 }]);
  });

  it('shows what is shut before what is open, and else goes by the name', () => {
    const workers = [
      aWorker({ gates: [aGate({ key: 'fcm:b' }), aGate({ key: 'fcm:a' })] }),
      aWorker({ gates: [aGate({ key: 'fcm:c', state: 'shut' })] }),
    ];
    expect(credentialsOf(workers).map(({ key }) => key)).toEqual(['fcm:c', 'fcm:a', 'fcm:b']);
  });
});

describe(pruneAlarmsOf.name, () => {
  it('shows each alarm once, as it was raised first', () => {
    const alarm = { key: 'apns:T', platform: 'apns', since: 20, dead: 4, answers: 5 } as const;
    const workers = [
      aWorker({ pruneAlarms: [alarm] }),
      aWorker({ pruneAlarms: [{ ...alarm, since: 10, dead: 9 }] }),
    ];
    expect(pruneAlarmsOf(workers)).toEqual([{ ...alarm, since: 10, dead: 9 }]);
  });
});

describe(platformStatesOf.name, () => {
  it('adds up the queues of a platform, and no others', () => {
    const queues = [
      { name: 'push-fcm', waiting: 1, delayed: 2, active: 3, oldestWaitingMs: 40 },
      { name: 'push-fcm-bulk', waiting: 10, delayed: 20, active: 30, oldestWaitingMs: 400 },
      { name: 'push-control', waiting: 100, oldestWaitingMs: 4000 },
    ] as const;
    const { apns, fcm } = platformStatesOf(aPipeline([aWorker()], queues), now);
    expect(fcm).toMatchObject({ waiting: 11, delayed: 22, active: 33, oldestWaitingMs: 400 });
    expect(apns).toMatchObject({ waiting: 0, delayed: 0, active: 0, oldestWaitingMs: null });
  });

  it('calls a platform paused when one of its queues is', () => {
    const { apns, fcm } = platformStatesOf(
      aPipeline([aWorker()], [{ name: 'push-apns-bulk', isPaused: true }]),
      now,
    );
    expect([apns.isPaused, fcm.isPaused]).toEqual([true, false]);
  });

  it('misses workers when one of its queues has none', () => {
    const { apns, fcm } = platformStatesOf(
      aPipeline([aWorker({ queues: ['push-apns', 'push-fcm', 'push-fcm-bulk'] })]),
      now,
    );
    expect([apns.hasWorkers, fcm.hasWorkers]).toEqual([false, true]);
  });

  it('does not count on workers that have fallen silent', () => {
    const hasWorkers = (at: number) => platformStatesOf(aPipeline([aWorker()]), at).fcm.hasWorkers;
    expect([hasWorkers(5000), hasWorkers(5001)]).toEqual([true, false]);
  });

  it('calls a platform shut when none of its credentials is open', () => {
    const other = aGate({ key: 'fcm:other' });
    const shut = aGate({ state: 'shut' });
    const stateOf = (gates: GateStatus[]) => {
      const { isShut, isPartlyShut } = platformStatesOf(aPipeline([aWorker({ gates })]), now).fcm;
      return [isShut, isPartlyShut];
    };
    expect(stateOf([])).toEqual([false, false]);
    expect(stateOf([shut, other])).toEqual([false, true]);
    expect(stateOf([shut])).toEqual([true, true]);
  });
});
