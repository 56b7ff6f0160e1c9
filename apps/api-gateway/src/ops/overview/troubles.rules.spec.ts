import { describe, expect, it } from '@jest/globals';
import { queueNames } from '#contracts';
import type { PushOverviewReport } from '#push';
import { troublesOf } from './troubles.rules.js';

const now = 1_800_000_000_000;

type Worker = PushOverviewReport['workers'][number];
type Queue = PushOverviewReport['queues'][number];

/** A pipeline that is well, but for what a test says. */
const aPipeline = (worker: Partial<Worker> | null, queue: Partial<Queue> = {}) => ({
  outcomes: [],
  workers:
    worker === null
      ? []
      : [
          {
            id: 'w',
            host: 'push-1',
            pid: 42,
            version: '0.1.0',
            queues: queueNames,
            startedAt: now - 60_000,
            reportedAt: now - 1000,
            inFlight: 0,
            gates: [],
            pruneAlarms: [],
            ...worker,
          },
        ],
  queues: queueNames.map((name) => ({
    name,
    waiting: 0,
    delayed: 0,
    active: 0,
    isPaused: false,
    oldestWaitingMs: null,
    ...(queue.name === name ? queue : {}),
  })),
});

const wrongWith = (pipeline: PushOverviewReport | null) => troublesOf(pipeline, [], now);

const shut = {
  key: 'apns:TEAM',
  platform: 'apns',
  state: 'shut',
  cause: 'InvalidProviderToken',
} as const;

describe(troublesOf.name, () => {
  it('has nothing to say of what is well', () => {
    const behind = { name: 'push-fcm', waiting: 3, oldestWaitingMs: 29_000 } as const;
    expect(wrongWith(aPipeline({}, behind))).toEqual([]);
  });

  it.each([
    ['that Redis is away', null, 'alarm', 'Redis does not answer.'],
    ['that nobody works', aPipeline(null), 'alarm', 'No worker sends to Apple (APNs).'],
    [
      'that a lane has no worker',
      aPipeline({ queues: ['push-apns', 'push-apns-bulk', 'push-fcm'] }),
      'alarm',
      'No worker sends to Google (FCM).',
    ],
    [
      'that a platform is paused',
      aPipeline({}, { name: 'push-fcm', isPaused: true, oldestWaitingMs: 900_000 }),
      'notice',
      'Google (FCM) is paused.',
    ],
    [
      'that what is urgent waits',
      aPipeline({}, { name: 'push-fcm', waiting: 7, oldestWaitingMs: 30_000 }),
      'alarm',
      'push-fcm is behind: 7 jobs wait, the oldest for 30 s.',
    ],
    [
      'that a fan-out waits for long',
      aPipeline({}, { name: 'push-fcm-bulk', waiting: 7, oldestWaitingMs: 600_000 }),
      'alarm',
      'push-fcm-bulk is behind: 7 jobs wait, the oldest for 600 s.',
    ],
    [
      'that a worker is silent',
      aPipeline({ reportedAt: now - 7001 }),
      'notice',
      'The worker push-1/42 has fallen silent.',
    ],
    [
      'that a credential is shut',
      aPipeline({ gates: [{ ...shut, reopensAt: now + 5000 }] }),
      'alarm',
      'Apple (APNs) is not sent to with apns:TEAM: InvalidProviderToken.',
    ],
    [
      'that tokens die beyond belief',
      aPipeline({
        pruneAlarms: [{ key: 'fcm:chat', platform: 'fcm', since: 17, dead: 90, answers: 100 }],
      }),
      'alarm',
      'Google (FCM) calls 90 of 100 tokens of fcm:chat dead: none is removed.',
    ],
  ] as const)('says %s', (_what, pipeline, severity, text) => {
    const [first] = wrongWith(pipeline);
    expect(first).toMatchObject({ severity, text });
    expect(first?.advice).not.toBe('');
  });

  it('says that PostgreSQL is away', () => {
    expect(troublesOf(aPipeline({}), null, now)).toMatchObject([
      { severity: 'alarm', text: 'PostgreSQL does not answer.' },
    ]);
  });

  it('lets a fan-out take its time', () => {
    const bulk = { name: 'push-fcm-bulk', waiting: 7, oldestWaitingMs: 599_000 } as const;
    expect(wrongWith(aPipeline({}, bulk))).toEqual([]);
  });

  it('tells a credential that is tried again by itself from one that needs a person', () => {
    const byItself = wrongWith(aPipeline({ gates: [{ ...shut, reopensAt: now + 5000 }] }));
    expect(byItself).toMatchObject([{ until: now + 5000 }]);
    expect(byItself[0]?.advice).toMatch('by itself');
    const byHand = wrongWith(aPipeline({ gates: [{ ...shut, reopensAt: null }] }));
    expect(byHand).toMatchObject([{ until: null }]);
    expect(byHand[0]?.advice).toMatch('restart');
  });

  it('counts dead letters over their reasons, after the alarms', () => {
    const letter = { platform: 'fcm', oldestAt: new Date(now - 500) } as const;
    const letters = [
      { ...letter, reason: 'A', letters: 2 },
      { ...letter, reason: 'B', letters: 3, oldestAt: new Date(now - 900) },
    ];
    const troubles = troublesOf(aPipeline({ gates: [{ ...shut, reopensAt: null }] }), letters, now);
    expect(troubles).toMatchObject([
      { severity: 'alarm' },
      { severity: 'notice', text: 'There are 5 dead letters.', since: now - 900 },
    ]);
  });
});
