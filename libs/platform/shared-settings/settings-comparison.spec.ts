import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SettingsComparison } from './settings-comparison.js';
import type { SettingsReport } from './settings-report.js';

describe(SettingsComparison.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('reports a program within two seconds of its start, and every ten seconds', async () => {
    const reports: SettingsReport[] = [];
    const sut = new SettingsComparison(
      'presence',
      {},
      {
        now: async () => Date.now(),
        report: async (report) => void reports.push(report),
        recent: async () => reports,
        forget: async () => undefined,
      },
      Date.now,
    );
    sut.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(2000);
    expect(reports).toMatchObject([{ program: 'presence' }]);
    await jest.advanceTimersByTimeAsync(12_000);
    expect(reports).toHaveLength(2);
    await sut.onModuleDestroy();
  });
});
