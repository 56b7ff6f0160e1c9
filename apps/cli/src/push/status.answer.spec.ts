import { describe, expect, it } from '@jest/globals';
import { queueNames } from '#push/jobs';
import type { PipelineStatus } from '#push/admin';
import type { BreakerReport, WorkerReport } from '#push/observability';
import { statusAnswer } from './status.answer.js';

const now = Date.parse('2026-11-21T14:10:00Z');

const closed: BreakerReport = {
  key: 'fcm:chat',
  platform: 'fcm',
  state: 'closed',
  cause: null,
  reason: null,
  since: null,
  reopensAt: null,
};

const worker: WorkerReport = {
  id: 'w1',
  host: 'push-1',
  pid: 17,
  version: '0.1.0',
  queues: [...queueNames],
  startedAt: now - 7_200_000,
  reportedAt: now,
  inFlight: 3,
  oldestInFlightAt: { apns: null, fcm: now - 20 },
  breakers: [closed],
  pruneAlarms: [],
};

const idle = { waiting: 0, delayed: 0, active: 0, isPaused: false, oldestWaitingMs: null };

const pipeline = {
  workers: [worker],
  outcomes: [
    { at: now - 600_000, counts: { 'fcm:delivered': 100 } },
    { at: now - 20_000, counts: { 'fcm:delivered': 2, 'apns:dead_token': 1 } },
    { at: now - 10_000, counts: { 'fcm:delivered': 3 } },
  ],
  queues: queueNames.map((name) => ({ name, ...idle })),
};

const answer = (changes: Partial<PipelineStatus> = {}) =>
  statusAnswer({
    at: now,
    pipeline,
    letters: [],
    backlog: [],
    isReadOnly: false,
    phones: [],
    alerts: [],
    ...changes,
  });

const alarm = {
  name: 'CarillonPushProviderSlow',
  severity: 'alarm',
  platform: 'apns',
  text: 'Apple hangs.',
  advice: 'Wait.',
  since: now - 60_000,
  until: now + 5000,
} as const;

describe(statusAnswer.name, () => {
  it('is a failure with an alarm, but not with only a notice', () => {
    expect(answer().isFailure).toBe(false);
    expect(answer({ alerts: [{ ...alarm, severity: 'notice' }] }).isFailure).toBe(false);
    expect(answer({ alerts: [alarm] }).isFailure).toBe(true);
  });

  it('reports a healthy system and sums up the last five minutes', () => {
    const { json, text } = answer();
    expect(json).toMatchObject({
      is_healthy: true,
      alerts: [],
      pending: [],
      dead_letters: 0,
      outcomes_of_5_minutes: { 'fcm:delivered': 5, 'apns:dead_token': 1 },
    });
    expect(text).toContain('All is well.');
    expect(text).toContain('5 fcm delivered, 1 apns dead_token');
    expect(text).toContain('Not sent yet: nothing');
    expect(text).toMatch(/push-1:17 .* 2 h /);
  });

  it('shows the text, the start and the advice of an alert', () => {
    const { json, text } = answer({ alerts: [alarm] });
    expect(json).toMatchObject({
      is_healthy: false,
      alerts: [{ ...alarm, since: '2026-11-21T14:09:00.000Z', until: '2026-11-21T14:10:05.000Z' }],
    });
    expect(text.split('\n').slice(0, 3)).toEqual([
      '! Apple hangs.',
      '  since 2026-11-21 14:09:00 UTC, tries again at 2026-11-21 14:10:05 UTC',
      '  Wait.',
    ]);
  });

  it('is healthy with only notices', () => {
    const notice = { ...alarm, severity: 'notice', since: null, until: null } as const;
    const { json, text } = answer({ alerts: [notice] });
    expect(json).toMatchObject({ is_healthy: true, alerts: [{ severity: 'notice' }] });
    expect(text).toMatch(/^- Apple hangs\.\n {2}Wait\.\n/);
  });

  it('shows the circuit breaker of each credential', () => {
    const open: BreakerReport = {
      key: 'apns:T',
      platform: 'apns',
      state: 'open',
      cause: 'outage',
      reason: 'deadline',
      since: now,
      reopensAt: now + 1000,
    };
    const workers = [{ ...worker, breakers: [closed, open] }];
    const { json, text } = answer({ pipeline: { ...pipeline, workers } });
    expect(json).toMatchObject({
      workers: [
        {
          credentials: [
            { key: 'fcm:chat', breaker: 'closed', reason: null, since: null },
            {
              key: 'apns:T',
              breaker: 'open',
              cause: 'outage',
              reason: 'deadline',
              since: '2026-11-21T14:10:00.000Z',
              tries_again_at: '2026-11-21T14:10:01.000Z',
            },
          ],
        },
      ],
    });
    expect(text).toMatch(/fcm:chat .* closed /);
    expect(text).toMatch(/apns:T .* open .* deadline .* 14:10:00 .* 14:10:01/);
  });

  it('shows the backlog and the errors of the last attempts', () => {
    const retried = { count: 3, reason: 'TooManyRequests', oldestMs: 1000 };
    const backlog = [{ platform: 'apns', count: 7, oldestMs: 90_000, retried }] as const;
    const { json, text } = answer({ backlog });
    expect(json).toMatchObject({
      pending: [
        {
          platform: 'apns',
          deliveries: 7,
          oldest_accepted_at: '2026-11-21T14:08:30.000Z',
          to_be_repeated: 3,
          reason: 'TooManyRequests',
        },
      ],
    });
    expect(text).toContain('7 apns (the oldest for 1 min, 3 to be retried: TooManyRequests)');
  });

  it('omits the values that are unknown during an outage of a store', () => {
    expect(answer({ pipeline: null }).json).toMatchObject({
      queues: null,
      workers: null,
      outcomes_of_5_minutes: null,
      dead_letters: 0,
    });
    expect(answer({ letters: null, backlog: null }).json).toMatchObject({
      pending: null,
      dead_letters: null,
    });
  });
});
