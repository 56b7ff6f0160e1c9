import { describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import type { AppPruneAlarm, CredentialStatus } from '#push/breakers';
import { BreakerMetrics } from './breaker-metrics.js';

const closed: CredentialStatus = {
  platform: 'apns',
  credential: 'TEAM',
  state: 'closed',
  cause: null,
  reason: null,
  since: null,
  reopensAt: null,
  openedCount: 0,
};

const read = async (all: readonly CredentialStatus[], alarms: readonly AppPruneAlarm[] = []) => {
  const metrics = new Metrics();
  expect(new BreakerMetrics(metrics, { statuses: () => all }, { alarms })).toBeInstanceOf(
    BreakerMetrics,
  );
  return metrics.read();
};

const seriesOf = (state: string) =>
  `carillon_push_breaker_state{platform="apns",credential="apns:TEAM",state="${state}"}`;

describe(BreakerMetrics.name, () => {
  it.each(['closed', 'half_open', 'open'] as const)(
    'exports a breaker that is %s',
    async (state) => {
      const text = await read([{ ...closed, state }]);
      for (const one of ['closed', 'half_open', 'open']) {
        expect(text).toContain(`${seriesOf(one)} ${one === state ? 1 : 0}\n`);
      }
    },
  );

  it('exports the cause of a breaker only while it is open', async () => {
    const open = {
      ...closed,
      state: 'open',
      cause: 'misconfigured',
      reason: 'InvalidProviderToken',
    } as const;
    const labels =
      'platform="apns",credential="apns:TEAM",cause="misconfigured",reason="InvalidProviderToken"';
    const series = `carillon_push_breaker_cause{${labels}} 1\n`;
    expect(await read([open])).toContain(series);
    expect(await read([closed])).not.toContain('carillon_push_breaker_cause{');
  });

  it('exports an alarm while it is raised', async () => {
    const alarm = {
      key: 'fcm',
      platform: 'fcm',
      since: 0,
      dead: 50,
      answers: 60,
    } as const;
    const series = 'carillon_push_prune_alarm{platform="fcm",app="fcm"} 1\n';
    expect(await read([closed], [alarm])).toContain(series);
    expect(await read([closed])).not.toContain('carillon_push_prune_alarm{');
  });
});
