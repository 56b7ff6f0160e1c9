import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { PresenceCounters } from '#presence/metrics';
import { observePresence, type PresenceStatus } from './observe-presence.js';

const well: PresenceStatus = {
  staleMs: 0,
  bufferedUsers: 0,
  dueUsers: 0,
  followedRealms: 3,
  unsyncedRealms: 0,
  users: 70,
  replicaLagMs: 0,
};

describe(observePresence.name, () => {
  let metrics: Metrics;
  let counters: PresenceCounters;
  let status: PresenceStatus;

  beforeEach(() => {
    metrics = new Metrics();
    counters = new PresenceCounters();
    status = well;
    observePresence(metrics, { counters, status: () => status });
  });

  it('exports every counter', async () => {
    const given = Object.entries(counters)
      .filter(([, value]) => typeof value === 'number')
      .map(([name], index) => [name, 1000 + index] as const);
    Object.assign(counters, Object.fromEntries(given));
    const exported = new Map(
      [...(await metrics.read()).matchAll(/^carillon_presence_\w+ (\d+)$/gm)].map(
        ([line, value]) => [Number(value), line],
      ),
    );
    expect(given.length).toBeGreaterThan(10);
    for (const [name, value] of given) expect([name, exported.has(value)]).toEqual([name, true]);
  });

  it('exports zero for events that have not occurred, so that the first one is an increase', async () => {
    const text = await metrics.read();
    for (const reason of ['first', 'gap', 'lost']) {
      expect(text).toContain(`carillon_presence_replica_loads_total{reason="${reason}"} 0\n`);
    }
    for (const kind of ['ping', 'empty', 'own', 'shared', 'compressed']) {
      expect(text).toContain(`carillon_presence_answers_total{kind="${kind}"} 0\n`);
    }
    expect(text).toContain('carillon_presence_write_failures_total 0\n');
    expect(text).toContain('carillon_presence_call_seconds_count 0\n');
  });

  it('exports the current status of the process', async () => {
    status = {
      staleMs: 1500,
      bufferedUsers: 4,
      dueUsers: 5,
      followedRealms: 6,
      unsyncedRealms: 7,
      users: 8,
      replicaLagMs: 250,
    };
    const text = await metrics.read();
    for (const line of [
      'stale_seconds 1.5',
      'held_users 4',
      'due_users 5',
      'realms{replica="following"} 6',
      'realms{replica="missing"} 7',
      'replicated_users 8',
      'replica_lag_seconds 0.25',
    ]) {
      expect(text).toContain(`carillon_presence_${line}\n`);
    }
  });

  it('sorts observations into buckets', async () => {
    counters.batchReports.observe(32);
    counters.answerEntries.observe(0);
    counters.callSeconds.observe(0.000_08);
    counters.writeSeconds.observe(0.02);
    const text = await metrics.read();
    for (const line of [
      'batch_reports_bucket{le="16"} 0',
      'batch_reports_bucket{le="32"} 1',
      'answer_entries_bucket{le="0"} 1',
      'call_seconds_bucket{le="0.0001"} 1',
      'write_seconds_bucket{le="0.03"} 1',
    ]) {
      expect(text).toContain(`carillon_presence_${line}\n`);
    }
  });
});
