import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#telemetry';
import { PresenceCounters } from '../presence-counters.js';
import { observePresence } from './observe-presence.js';
import type { PresenceState } from './presence-state.js';

const well: PresenceState = {
  staleMs: 0,
  heldUsers: 0,
  dueUsers: 0,
  followedRealms: 3,
  otherRealms: 0,
  users: 70,
  mirrorLagMs: 0,
};

describe(observePresence.name, () => {
  let metrics: Metrics;
  let counters: PresenceCounters;
  let state: PresenceState;

  beforeEach(() => {
    metrics = new Metrics();
    counters = new PresenceCounters();
    state = well;
    observePresence(metrics, { counters, state: () => state });
  });

  it('tells every number that is counted', async () => {
    const given = Object.entries(counters)
      .filter(([, value]) => typeof value === 'number')
      .map(([name], index) => [name, 1000 + index] as const);
    Object.assign(counters, Object.fromEntries(given));
    const told = new Map(
      [...(await metrics.read()).matchAll(/^carillon_presence_\w+ (\d+)$/gm)].map(
        ([line, value]) => [Number(value), line],
      ),
    );
    expect(given.length).toBeGreaterThan(10);
    for (const [name, value] of given) expect([name, told.has(value)]).toEqual([name, true]);
  });

  it('tells what has not happened yet as zero, so that the first time is a rise', async () => {
    const text = await metrics.read();
    for (const reason of ['first', 'gap', 'lost']) {
      expect(text).toContain(`carillon_presence_mirror_loads_total{reason="${reason}"} 0\n`);
    }
    for (const kind of ['ping', 'empty', 'own', 'shared', 'compressed']) {
      expect(text).toContain(`carillon_presence_answers_total{kind="${kind}"} 0\n`);
    }
    expect(text).toContain('carillon_presence_write_failures_total 0\n');
    expect(text).toContain('carillon_presence_call_seconds_count 0\n');
  });

  it('tells how the process stands now', async () => {
    state = {
      staleMs: 1500,
      heldUsers: 4,
      dueUsers: 5,
      followedRealms: 6,
      otherRealms: 7,
      users: 8,
      mirrorLagMs: 250,
    };
    const text = await metrics.read();
    for (const line of [
      'stale_seconds 1.5',
      'held_users 4',
      'due_users 5',
      'realms{mirror="following"} 6',
      'realms{mirror="missing"} 7',
      'mirrored_users 8',
      'mirror_lag_seconds 0.25',
    ]) {
      expect(text).toContain(`carillon_presence_${line}\n`);
    }
  });

  it('sorts what it has observed into steps', async () => {
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
