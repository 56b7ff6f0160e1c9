import { expect, it } from '@jest/globals';
import type { GatewayReportStore } from '#events/status';
import type { EventFollower } from './event-follower.js';
import { GatewayReports } from './gateway-reports.js';
import type { HeldPolls } from './held-polls.js';
import type { PollMetrics } from './poll-metrics.js';

it('rejects a report that is not written, so that the failure is counted', async () => {
  const totals = { polls: 0, delivered: 0, readFromLog: 0, overflowed: 0, lags: [] };
  const sut = new GatewayReports(
    { report: () => Promise.reject(new Error('down')) } as unknown as GatewayReportStore,
    { count: 0 } as unknown as HeldPolls,
    { size: () => ({ organisations: 0, events: 0, bytes: 0 }) } as unknown as EventFollower,
    { totals: () => totals } as unknown as PollMetrics,
  );
  await expect(sut.report()).rejects.toThrow('down');
});
