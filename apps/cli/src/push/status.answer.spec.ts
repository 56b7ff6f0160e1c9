import { describe, expect, it } from '@jest/globals';
import { queueNames } from '#contracts';
import type { PushOverviewReport, WorkerReport } from '#push';
import { statusAnswer } from './status.answer.js';

const now = Date.parse('2026-11-21T14:10:00Z');

const worker: WorkerReport = {
  id: 'w1',
  host: 'push-1',
  pid: 17,
  version: '0.1.0',
  queues: [...queueNames],
  startedAt: now - 7_200_000,
  reportedAt: now - 1000,
  inFlight: 3,
  gates: [{ key: 'fcm:chat-prod', platform: 'fcm', state: 'open', cause: null, reopensAt: null }],
  pruneAlarms: [],
};

const idle = { waiting: 0, delayed: 0, active: 0, isPaused: false, oldestWaitingMs: null };

const report: PushOverviewReport = {
  workers: [worker],
  outcomes: [
    { at: now - 600_000, counts: { 'fcm:delivered': 100 } },
    { at: now - 20_000, counts: { 'fcm:delivered': 2, 'apns:dead_token': 1 } },
    { at: now - 10_000, counts: { 'fcm:delivered': 3 } },
  ],
  queues: queueNames.map((name) => ({ name, ...idle })),
};

const answer = (changes: Partial<PushOverviewReport> = {}) =>
  statusAnswer({ ...report, ...changes }, now);

const troublesOf = (changes: Partial<PushOverviewReport>) => {
  const { json, text } = answer(changes);
  expect(json).toMatchObject({ is_healthy: false });
  const { troubles } = json as { troubles: string[] };
  for (const trouble of troubles) expect(text).toContain(`! ${trouble}`);
  return troubles;
};

describe(statusAnswer.name, () => {
  it('says that all is well, and sums up the last five minutes', () => {
    expect(answer().json).toMatchObject({
      is_healthy: true,
      troubles: [],
      outcomes_of_5_minutes: { 'fcm:delivered': 5, 'apns:dead_token': 1 },
    });
    expect(answer().text).toContain('All is well.');
    expect(answer().text).toContain('5 fcm delivered, 1 apns dead_token');
    expect(answer().text).toMatch(/push-1:17 .* 2 h /);
  });

  it('names queues that no worker consumes', () => {
    expect(troublesOf({ workers: [] })).toEqual(['no worker runs']);
    const queues = queueNames.filter((name) => name !== 'push-fcm-bulk');
    expect(troublesOf({ workers: [{ ...worker, queues }] })).toEqual([
      'no worker consumes push-fcm-bulk',
    ]);
  });

  it('names what is shut, alarmed and paused, each once', () => {
    const shut: WorkerReport = {
      ...worker,
      gates: [
        {
          key: 'apns:TEAM123456',
          platform: 'apns',
          state: 'shut',
          cause: 'InvalidProviderToken',
          reopensAt: now + 5000,
        },
      ],
      pruneAlarms: [{ key: 'fcm:chat-prod', platform: 'fcm', since: now, dead: 9, answers: 10 }],
    };
    const queues = report.queues.map((queue) => ({
      ...queue,
      isPaused: queue.name === 'push-fcm',
    }));
    expect(troublesOf({ workers: [shut, { ...shut, id: 'w2' }], queues })).toEqual([
      'apns:TEAM123456 is shut: InvalidProviderToken',
      'fcm:chat-prod calls too many tokens dead: none is removed',
      'push-fcm is paused',
    ]);
  });
});
