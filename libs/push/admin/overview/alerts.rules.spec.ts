import { describe, expect, it } from '@jest/globals';
import type { BreakerCause } from '#push/breakers';
import { AWAITS_REMOVAL } from '#push/notifications';
import type { PipelineReport, QueueStatus, WorkerReport } from '#push/observability';
import { evaluateAlerts } from './alerts.rules.js';
import { aBreaker, aPipeline, aWorker } from './pipeline.fixture.js';

const now = 1_800_000_000_000;
const downSince = { redis: now - 4000, postgres: now - 8000 };
const well = { letters: [], backlog: [], isReadOnly: false };

const workerOf = (traits: Partial<WorkerReport> = {}) =>
  aWorker({ reportedAt: now - 1000, ...traits });

/** A healthy pipeline with one worker and one queue, with the changes of a test. */
const pipelineOf = (
  worker: Partial<WorkerReport> = {},
  queue: Partial<QueueStatus> = {},
  outcomes: PipelineReport['outcomes'] = [],
) => aPipeline([workerOf(worker)], [queue], outcomes);

const wrongWith = (pipeline: PipelineReport | null) =>
  evaluateAlerts({ pipeline, ...well }, downSince, now);

const openBy = (cause: BreakerCause, reason: string) =>
  aBreaker({
    key: 'apns:TEAM',
    platform: 'apns',
    state: 'open',
    cause,
    reason,
    since: now - 60_000,
    reopensAt: now + 5000,
  });

describe(evaluateAlerts.name, () => {
  it('raises no alert in normal operation', () => {
    const behind = { name: 'push-fcm', waiting: 3, oldestWaitingMs: 29_000 } as const;
    const sending = { oldestInFlightAt: { apns: now - 2999, fcm: null } };
    expect(wrongWith(pipelineOf(sending, behind))).toEqual([]);
  });

  it.each([
    ['that Redis is down', null, { text: 'Redis does not answer.', since: downSince.redis }],
    ['that no worker runs', aPipeline([]), { text: 'No worker sends to Apple (APNs).' }],
    [
      'that a lane with jobs has no worker',
      pipelineOf(
        { queues: ['push-apns', 'push-apns-bulk', 'push-fcm'] },
        { name: 'push-fcm-bulk', delayed: 1 },
      ),
      { text: 'No worker sends to Google (FCM).', platform: 'fcm' },
    ],
    [
      'that urgent pushes wait',
      pipelineOf({}, { name: 'push-fcm', waiting: 7, oldestWaitingMs: 30_000 }),
      {
        text: 'push-fcm is behind: its jobs wait too long.',
        since: now - 30_000,
      },
    ],
    [
      'that a fan-out waits for long',
      pipelineOf({}, { name: 'push-fcm-bulk', waiting: 7, oldestWaitingMs: 600_000 }),
      { text: 'push-fcm-bulk is behind: its jobs wait too long.' },
    ],
    [
      'that a provider does not answer',
      pipelineOf({ breakers: [openBy('outage', 'deadline')] }),
      {
        name: 'CarillonPushStopped',
        text: 'Apple (APNs) is failing or unreachable; sending with apns:TEAM is stopped: no answer within the deadline.',
        advice: expect.stringMatching(/^Sending is tried again automatically/),
        since: now - 60_000,
        until: now + 5000,
      },
    ],
    [
      'that a provider throttles',
      pipelineOf({ breakers: [openBy('throttled', 'QUOTA_EXCEEDED')] }),
      { text: 'Apple (APNs) throttles; sending with apns:TEAM is stopped: QUOTA_EXCEEDED.' },
    ],
    [
      'that a credential is refused, also while one push tries',
      pipelineOf({
        breakers: [
          {
            ...openBy('misconfigured', 'InvalidProviderToken'),
            state: 'half_open',
            reopensAt: null,
          },
        ],
      }),
      {
        name: 'CarillonPushMisconfigured',
        text: 'The configuration of Apple (APNs) is wrong for apns:TEAM: InvalidProviderToken.',
        advice: expect.stringMatching(/^Correct the credential/),
        until: null,
      },
    ],
    [
      'that too many tokens are reported as dead',
      pipelineOf({
        pruneAlarms: [{ key: 'fcm:chat', platform: 'fcm', since: 17, dead: 90, answers: 100 }],
      }),
      {
        text: 'Google (FCM) reports the tokens of 90 of 100 accounts of fcm:chat as dead. No token is removed.',
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
      { text: 'Google (FCM) is paused.', advice: expect.stringContaining('push resume fcm`') },
    ],
    [
      'that answers are slow to come',
      pipelineOf({ oldestInFlightAt: { apns: null, fcm: now - 3000 } }),
      { text: 'Google (FCM) answers slowly.', since: now - 3000 },
    ],
    [
      'that something was dropped as too old',
      pipelineOf({}, {}, [{ at: now - 900_000, counts: { 'apns:expired': 2 } }]),
      {
        text: 'Notifications for Apple (APNs) were dropped as too old in the last half hour.',
        since: now - 900_000,
      },
    ],
  ])('raises a notice: %s', (_what, pipeline, expected) => {
    expect(wrongWith(pipeline)).toMatchObject([{ severity: 'notice', ...expected }]);
  });

  it('raises a notice for a silent worker, and no longer counts it', () => {
    const silent = workerOf({ reportedAt: now - 5001, host: 'push-2' });
    expect(wrongWith(aPipeline([workerOf(), silent]))).toMatchObject([
      { severity: 'notice', text: 'The worker push-2/17 does not report.' },
    ]);
    expect(wrongWith(aPipeline([silent]))).toMatchObject([
      { severity: 'alarm', text: 'No worker sends to Apple (APNs).' },
      { severity: 'alarm', text: 'No worker sends to Google (FCM).' },
      { severity: 'alarm', text: 'No worker sends to Web Push.' },
      { severity: 'notice' },
    ]);
  });

  it('raises no notice of slow answers for a worker that is silent', () => {
    const silent = workerOf({
      reportedAt: now - 5001,
      oldestInFlightAt: { apns: now - 9000, fcm: null },
    });
    expect(wrongWith(aPipeline([workerOf(), silent]))).toMatchObject([
      { name: 'CarillonPushWorkerSilent' },
    ]);
  });

  it('raises no notice of slow answers while the breaker of the provider is open', () => {
    const breakers = [openBy('outage', 'deadline')];
    const oldestInFlightAt = { apns: now - 9000, fcm: null };
    expect(wrongWith(pipelineOf({ breakers, oldestInFlightAt }))).toMatchObject([
      { name: 'CarillonPushStopped' },
    ]);
  });

  it('names alarms before notices', () => {
    const pipeline = pipelineOf(
      { breakers: [openBy('outage', 'deadline')] },
      { name: 'push-fcm', isPaused: true },
    );
    expect(wrongWith(pipeline)).toMatchObject([
      { severity: 'alarm', name: 'CarillonPushStopped' },
      { severity: 'notice', name: 'CarillonPushQueuePaused' },
    ]);
  });

  it('raises an alarm when PostgreSQL is down', () => {
    const parts = { pipeline: pipelineOf(), letters: null, backlog: null, isReadOnly: null };
    expect(evaluateAlerts(parts, downSince, now)).toMatchObject([
      { severity: 'alarm', text: 'PostgreSQL does not answer.', since: downSince.postgres },
    ]);
  });

  it('raises an alarm while PostgreSQL refuses writes', () => {
    const parts = { ...well, pipeline: pipelineOf(), isReadOnly: true };
    expect(evaluateAlerts(parts, downSince, now)).toMatchObject([
      { name: 'CarillonPushReadOnly', severity: 'alarm', text: 'PostgreSQL refuses writes.' },
    ]);
  });

  it('raises no alarm for a slow count', () => {
    const parts = { ...well, pipeline: pipelineOf(), backlog: null };
    expect(evaluateAlerts(parts, downSince, now)).toEqual([]);
  });

  it('allows a fan-out to take longer', () => {
    const bulk = { name: 'push-fcm-bulk', waiting: 7, oldestWaitingMs: 599_000 } as const;
    expect(wrongWith(pipelineOf({}, bulk))).toEqual([]);
  });

  it('does not ask for workers while the provider is the cause', () => {
    const queue = { name: 'push-apns', waiting: 7, oldestWaitingMs: 90_000 } as const;
    const alerts = wrongWith(pipelineOf({ breakers: [openBy('outage', 'connection')] }, queue));
    expect(alerts).toMatchObject([{ text: expect.stringContaining('unreachable') }]);
  });

  describe('of pushes that are refused for now', () => {
    const retried = { count: 40, reason: 'TooManyRequests', oldestMs: 9000 };
    const given = (
      reached: number,
      traits: Partial<typeof retried> = {},
      breakers = [aBreaker()],
    ) =>
      evaluateAlerts(
        {
          pipeline: pipelineOf({ breakers }, {}, [
            { at: now - 60_000, counts: { 'apns:delivered': 9000 } },
            { at: now - 10_000, counts: { 'apns:delivered': reached } },
          ]),
          ...well,
          backlog: [
            { platform: 'apns', count: 90, oldestMs: 9000, retried: { ...retried, ...traits } },
          ],
        },
        downSince,
        now,
      );

    it('raises an alarm when they outnumber the deliveries', () => {
      expect(given(39)).toMatchObject([
        {
          severity: 'alarm',
          platform: 'apns',
          text: 'Apple (APNs) refuses most pushes at the moment: TooManyRequests.',
          since: now - 9000,
        },
      ]);
    });

    it('raises no alarm for few phones, for a short time, or beside another alert', () => {
      expect(given(40)).toEqual([]);
      expect(given(0, { count: 9 })).toEqual([]);
      expect(given(0, { oldestMs: 4999 })).toEqual([]);
      expect(given(0, {}, [openBy('outage', 'deadline')])).toHaveLength(1);
    });

    it('raises no alarm for those that wait until the push service has forgotten a phone', () => {
      expect(given(0, { reason: AWAITS_REMOVAL })).toEqual([]);
    });
  });

  describe('of a delivery that is pending for too long', () => {
    const given = (oldestMs: number, queue: Partial<QueueStatus> = {}, retriedCount = 1) =>
      evaluateAlerts(
        {
          pipeline: pipelineOf({ breakers: [aBreaker()] }, queue),
          ...well,
          backlog: [
            {
              platform: 'apns',
              count: 40,
              oldestMs,
              retried: { count: retriedCount, reason: 'TooManyRequests', oldestMs },
            },
          ],
        },
        downSince,
        now,
      );

    it('raises an alarm after five minutes', () => {
      expect(given(300_000)).toEqual([]);
      expect(given(300_001)).toMatchObject([
        { name: 'CarillonPushBehind', severity: 'alarm', platform: 'apns', since: now - 300_001 },
      ]);
    });

    it('raises no alarm beside another alert with the cause', () => {
      const behind = { name: 'push-apns', waiting: 7, oldestWaitingMs: 400_000 } as const;
      expect(given(400_000, behind)).toMatchObject([{ name: 'CarillonPushQueueBehind' }]);
      expect(given(400_000, {}, 40)).toMatchObject([{ name: 'CarillonPushRefused' }]);
      expect(given(400_000, { name: 'push-apns', isPaused: true })).toMatchObject([
        { name: 'CarillonPushQueuePaused' },
      ]);
    });
  });

  it('sums dead letters over their reasons, after the alarms', () => {
    const letter = { platform: 'fcm', oldestAt: new Date(now - 500) } as const;
    const letters = [
      { ...letter, reason: 'A', letters: 2 },
      { ...letter, reason: 'B', letters: 3, oldestAt: new Date(now - 900) },
    ];
    const pipeline = pipelineOf({ breakers: [openBy('outage', 'deadline')] });
    expect(evaluateAlerts({ ...well, pipeline, letters }, downSince, now)).toMatchObject([
      { severity: 'alarm' },
      { severity: 'notice', text: '5 dead letters: A, B.', since: now - 900 },
    ]);
  });

  it.each([
    [1, ['A'], '1 dead letter: A.'],
    [5000, ['A', 'B', 'C', 'D', 'E'], '25,000 dead letters: A, B, C and 2 other reasons.'],
    [1, ['A', 'B', 'C', 'D'], '4 dead letters: A, B, C and 1 other reason.'],
  ])('words dead letters with %d of each of the reasons %j', (letters, reasons, text) => {
    const letter = { platform: 'fcm', oldestAt: new Date(now), letters } as const;
    const parts = {
      pipeline: pipelineOf(),
      letters: reasons.map((reason) => ({ ...letter, reason })),
    };
    expect(evaluateAlerts({ ...well, ...parts }, downSince, now)).toMatchObject([{ text }]);
  });
});
