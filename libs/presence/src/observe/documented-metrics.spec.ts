import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Metrics } from '#telemetry';
import { PresenceCounters } from '../presence-counters.js';
import { CallCounters } from '../rpc/call-counters.js';
import { observeCalls } from './observe-calls.js';
import { observePresence } from './observe-presence.js';

const textOf = (path: string) =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

const noState = {
  staleMs: 0,
  heldUsers: 0,
  dueUsers: 0,
  followedRealms: 0,
  otherRealms: 0,
  users: 0,
  mirrorLagMs: 0,
};

/** The names of all metrics of presence, in ascending order. */
async function toldMetrics(): Promise<string[]> {
  const metrics = new Metrics();
  observePresence(metrics, { counters: new PresenceCounters(), state: () => noState });
  observeCalls(metrics, {
    counters: new CallCounters(),
    heldUsers: 0,
    heldDropped: 0,
    openConnections: 0,
    addresses: 0,
  });
  return namesIn(await metrics.read(), /^# TYPE (carillon_presence_\w+)/gm);
}

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].toSorted();

describe('the metrics of presence', () => {
  it('are all in the tables of docs/observability.md, and no others', async () => {
    const documented = namesIn(textOf('docs/observability.md'), /^\| `(carillon_presence_\w+)`/gm);
    expect(documented).toEqual(await toldMetrics());
  });

  it('are there for every alert', async () => {
    const told = await toldMetrics();
    const used = namesIn(
      textOf('deploy/observability/alerts.yml'),
      /(carillon_presence_\w+?)(?:_bucket)?\b/g,
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !told.includes(name))).toEqual([]);
  });
});
