import { describe, expect, it } from '@jest/globals';
import type { GateTrouble } from '../observe/gate-statuses.js';
import type { PushOverviewReport, QueueOverview } from '../observe/push-overview.js';
import type { WorkerReport } from '../observe/worker-report.js';
import { aGate, aPipeline, aWorker } from './pipeline.fixture.js';
import { troublesOf } from './troubles.rules.js';

const now = 1_800_000_000_000;
const away = { redis: now - 4000, postgres: now - 8000 };
const well = { letters: [], backlog: [] };

const workerOf = (traits: Partial<WorkerReport> = {}) =>
  aWorker({ reportedAt: now - 1000, ...traits });

/** A pipeline with one worker and one queue that are well, but for what a test says. */
const pipelineOf = (
  worker: Partial<WorkerReport> = {},
  queue: Partial<QueueOverview> = {},
  outcomes: PushOverviewReport['outcomes'] = [],
) => aPipeline([workerOf(worker)], [queue], outcomes);

const wrongWith = (pipeline: PushOverviewReport | null) =>
  troublesOf({ pipeline, ...well }, away, now);

const shutBy = (cause: GateTrouble, reason: string) =>
  aGate({
    key: 'apns:TEAM',
    platform: 'apns',
    state: 'shut',
    cause,
    reason,
    since: now - 60_000,
    reopensAt: now + 5000,
  });

describe(troublesOf.name, () => {
  it('has nothing to say of what is well', () => {
    const behind = { name: 'push-fcm', waiting: 3, oldestWaitingMs: 29_000 } as const;
    const sending = { oldestInFlightAt: { apns: now - 2999, fcm: null } };
    expect(wrongWith(pipelineOf(sending, behind))).toEqual([]);
  });

  it.each([
    ['that Redis is away', null, { text: 'Redis does not answer.', since: away.redis }],
    ['that nobody works', aPipeline([]), { text: 'No worker sends to Apple (APNs).' }],
    [
      'that a lane has no worker',
      pipelineOf({ queues: ['push-apns', 'push-apns-bulk', 'push-fcm'] }),
      { text: 'No worker sends to Google (FCM).', platform: 'fcm' },
    ],
    [
      'that what is urgent waits',
      pipelineOf({}, { name: 'push-fcm', waiting: 7, oldestWaitingMs: 30_000 }),
      {
        text: 'push-fcm is behind: jobs wait for longer than they should.',
        since: now - 30_000,
      },
    ],
    [
      'that a fan-out waits for long',
      pipelineOf({}, { name: 'push-fcm-bulk', waiting: 7, oldestWaitingMs: 600_000 }),
      { text: 'push-fcm-bulk is behind: jobs wait for longer than they should.' },
    ],
    [
      'that a provider is away',
      pipelineOf({ gates: [shutBy('outage', 'deadline')] }),
      {
        text: 'Apple (APNs) is in trouble or cannot be reached, nothing is sent with apns:TEAM: no answer within the deadline.',
        advice: expect.stringMatching(/^Nothing to do/),
        since: now - 60_000,
        until: now + 5000,
      },
    ],
    [
      'that a provider throttles',
      pipelineOf({ gates: [shutBy('throttled', 'QUOTA_EXCEEDED')] }),
      { text: 'Apple (APNs) asks to wait, nothing is sent with apns:TEAM: QUOTA_EXCEEDED.' },
    ],
    [
      'that a credential is refused, also while one push tries',
      pipelineOf({
        gates: [
          {
            ...shutBy('misconfigured', 'InvalidProviderToken'),
            state: 'probing',
            reopensAt: null,
          },
        ],
      }),
      {
        text: 'Apple (APNs) does not let us in with apns:TEAM: InvalidProviderToken.',
        advice: expect.stringMatching(/^Correct the credential/),
        until: null,
      },
    ],
    [
      'that tokens die beyond belief',
      pipelineOf({
        pruneAlarms: [{ key: 'fcm:chat', platform: 'fcm', since: 17, dead: 90, answers: 100 }],
      }),
      {
        text: 'Google (FCM) calls the tokens of 90 of 100 accounts of fcm:chat dead: none is removed.',
        since: 17,
      },
    ],
  ])('raises an alarm: %s', (_what, pipeline, expected) => {
    const [first] = wrongWith(pipeline);
    expect(first).toMatchObject({ severity: 'alarm', ...expected });
    expect(first?.advice).not.toBe('');
  });

  it.each([
    [
      'that a platform is paused',
      pipelineOf({}, { name: 'push-fcm', isPaused: true, oldestWaitingMs: 900_000 }),
      { text: 'Google (FCM) is paused.' },
    ],
    [
      'that answers are slow to come',
      pipelineOf({ oldestInFlightAt: { apns: null, fcm: now - 3000 } }),
      { text: 'Google (FCM) takes long to answer.', since: now - 3000 },
    ],
    [
      'that something was dropped as too old',
      pipelineOf({}, {}, [{ at: now - 900_000, counts: { 'apns:expired': 2 } }]),
      {
        text: 'Notifications for Apple (APNs) were dropped as too old in the last half hour.',
        since: now - 900_000,
      },
    ],
  ])('remarks %s', (_what, pipeline, expected) => {
    expect(wrongWith(pipeline)).toMatchObject([{ severity: 'notice', ...expected }]);
  });

  it('remarks that a worker is silent, and counts on it no more', () => {
    const silent = workerOf({ reportedAt: now - 5001, host: 'push-2' });
    expect(wrongWith(aPipeline([workerOf(), silent]))).toMatchObject([
      { severity: 'notice', text: 'The worker push-2/17 has fallen silent.' },
    ]);
    expect(wrongWith(aPipeline([silent]))).toMatchObject([
      { severity: 'alarm', text: 'No worker sends to Apple (APNs).' },
      { severity: 'alarm', text: 'No worker sends to Google (FCM).' },
      { severity: 'notice' },
    ]);
  });

  it('says that PostgreSQL is away', () => {
    const parts = { pipeline: pipelineOf(), letters: null, backlog: null };
    expect(troublesOf(parts, away, now)).toMatchObject([
      { severity: 'alarm', text: 'PostgreSQL does not answer.', since: away.postgres },
    ]);
  });

  it('does not take a look that takes long for an absence', () => {
    const parts = { pipeline: pipelineOf(), letters: [], backlog: null };
    expect(troublesOf(parts, away, now)).toEqual([]);
  });

  it('lets a fan-out take its time', () => {
    const bulk = { name: 'push-fcm-bulk', waiting: 7, oldestWaitingMs: 599_000 } as const;
    expect(wrongWith(pipelineOf({}, bulk))).toEqual([]);
  });

  it('does not ask for workers where the provider is what is waited for', () => {
    const queue = { name: 'push-apns', waiting: 7, oldestWaitingMs: 90_000 } as const;
    const troubles = wrongWith(pipelineOf({ gates: [shutBy('outage', 'connection')] }, queue));
    expect(troubles).toMatchObject([{ text: expect.stringContaining('cannot be reached') }]);
  });

  describe('of pushes that are refused for now', () => {
    const retried = { count: 40, reason: 'TooManyRequests', oldestMs: 9000 };
    const given = (reached: number, traits: Partial<typeof retried> = {}, gates = [aGate()]) =>
      troublesOf(
        {
          pipeline: pipelineOf({ gates }, {}, [
            { at: now - 60_000, counts: { 'apns:delivered': 9000 } },
            { at: now - 10_000, counts: { 'apns:delivered': reached } },
          ]),
          letters: [],
          backlog: [
            { platform: 'apns', count: 90, oldestMs: 9000, retried: { ...retried, ...traits } },
          ],
        },
        away,
        now,
      );

    it('raises an alarm when they are more than go through', () => {
      expect(given(39)).toMatchObject([
        {
          severity: 'alarm',
          platform: 'apns',
          text: 'Apple (APNs) takes few of our pushes at the moment: TooManyRequests.',
          since: now - 9000,
        },
      ]);
    });

    it('is silent of a few phones, of a moment, and of what is said already', () => {
      expect(given(40)).toEqual([]);
      expect(given(0, { count: 9 })).toEqual([]);
      expect(given(0, { oldestMs: 4999 })).toEqual([]);
      expect(given(0, {}, [shutBy('outage', 'deadline')])).toHaveLength(1);
    });
  });

  it('counts dead letters over their reasons, after the alarms', () => {
    const letter = { platform: 'fcm', oldestAt: new Date(now - 500) } as const;
    const letters = [
      { ...letter, reason: 'A', letters: 2 },
      { ...letter, reason: 'B', letters: 3, oldestAt: new Date(now - 900) },
    ];
    const pipeline = pipelineOf({ gates: [shutBy('outage', 'deadline')] });
    expect(troublesOf({ pipeline, letters, backlog: [] }, away, now)).toMatchObject([
      { severity: 'alarm' },
      { severity: 'notice', text: 'There are 5 dead letters: A, B.', since: now - 900 },
    ]);
  });
});
