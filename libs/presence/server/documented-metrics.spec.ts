import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { CallCounters, observeCalls } from '#presence/client';
import { PresenceCounters } from '#presence/metrics';
import { observePresence } from './observe-presence.js';

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const noStatus = {
  staleMs: 0,
  bufferedUsers: 0,
  dueUsers: 0,
  followedRealms: 0,
  unsyncedRealms: 0,
  users: 0,
  replicaLagMs: 0,
};

/** The names of all metrics of presence, in ascending order. */
async function exportedMetrics(): Promise<string[]> {
  const metrics = new Metrics();
  observePresence(metrics, { counters: new PresenceCounters(), status: () => noStatus });
  observeCalls(metrics, {
    counters: new CallCounters(),
    bufferedUsers: 0,
    bufferDropped: 0,
    openConnections: 0,
    addresses: 0,
  });
  return namesIn(await metrics.read(), /^# TYPE (carillon_presence_\w+)/gm);
}

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].toSorted();

describe('the metrics of presence', () => {
  it('are exactly those in the lists of docs/observability.md', async () => {
    const documented = namesIn(textOf('docs/observability.md'), /^- `(carillon_presence_\w+)`/gm);
    expect(documented).toEqual(await exportedMetrics());
  });

  it('exist for every alert', async () => {
    const exported = await exportedMetrics();
    const used = namesIn(
      textOf('deploy/observability/alerts.yml'),
      /(carillon_presence_\w+?)(?:_bucket)?\b/g,
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !exported.includes(name))).toEqual([]);
  });
});
