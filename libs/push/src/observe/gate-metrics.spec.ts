import { describe, expect, it } from '@jest/globals';
import { Metrics } from '#telemetry';
import { GateMetrics } from './gate-metrics.js';
import type { GateStatus, GateStatuses, PruneAlarm } from './gate-statuses.js';

const open: GateStatus = {
  key: 'apns:TEAM',
  platform: 'apns',
  state: 'open',
  cause: null,
  reason: null,
  since: null,
  reopensAt: null,
};

const read = async (all: readonly GateStatus[], alarms: readonly PruneAlarm[] = []) => {
  const metrics = new Metrics();
  const statuses: GateStatuses = { all: () => all, alarms: () => alarms };
  expect(new GateMetrics(metrics, statuses)).toBeInstanceOf(GateMetrics);
  return metrics.read();
};

describe(GateMetrics.name, () => {
  it.each([
    ['open', 0],
    ['probing', 0.5],
    ['shut', 1],
  ] as const)('tells a gate that is %s as %d', async (state, value) => {
    expect(await read([{ ...open, state }])).toContain(
      `carillon_push_breaker_open{platform="apns",credential="apns:TEAM"} ${value}\n`,
    );
  });

  it('tells why a gate is shut, and only while it is', async () => {
    const shut = {
      ...open,
      state: 'shut',
      cause: 'misconfigured',
      reason: 'InvalidProviderToken',
    } as const;
    const labels =
      'platform="apns",credential="apns:TEAM",cause="misconfigured",reason="InvalidProviderToken"';
    const series = `carillon_push_breaker_cause{${labels}} 1\n`;
    expect(await read([shut])).toContain(series);
    expect(await read([open])).not.toContain('carillon_push_breaker_cause{');
  });

  it('tells of an alarm while there is one', async () => {
    const alarm = { key: 'fcm', platform: 'fcm', since: 0, dead: 50, answers: 60 } as const;
    const series = 'carillon_push_prune_alarm{platform="fcm",app="fcm"} 1\n';
    expect(await read([open], [alarm])).toContain(series);
    expect(await read([open])).not.toContain('carillon_push_prune_alarm{');
  });
});
