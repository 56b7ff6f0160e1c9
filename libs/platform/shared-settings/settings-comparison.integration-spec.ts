import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openRedis, type Redis, untilReady } from '#platform/redis';
import { eventually } from '#test/eventually';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { wrongClocks } from './setting-differences.rules.js';
import { SettingsComparison } from './settings-comparison.js';
import { SettingsReportStore } from './settings-report.js';

describe(SettingsComparison.name, () => {
  let server: ThrowawayRedis;
  let redis: Redis;
  let warning: ReturnType<typeof jest.spyOn>;

  beforeAll(async () => {
    server = await ThrowawayRedis.start();
    redis = openRedis(server.url, 'tests');
    await untilReady(redis, 10_000);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });
  beforeEach(async () => {
    await redis.flushall();
    warning = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });

  const start = (program: string, settings: Record<string, string>, aheadMs = 0) =>
    new SettingsComparison(
      program,
      settings,
      new SettingsReportStore(redis),
      () => Date.now() + aheadMs,
    );
  const warnings = () => warning.mock.calls.flat();

  it('warns both programs, once, of a setting that differs', async () => {
    const gateway = start('api-gateway', { PING: 'a', OFFLINE: 'b', API_KEY: 'c' });
    const presence = start('presence', { PING: 'a', OFFLINE: 'other', ACCESS: 'd' });
    for (const sut of [gateway, presence, gateway, presence]) await sut.compare();
    const text = /^OFFLINE differs: api-gateway \S+ on .+; presence \S+ on .+$/;
    for (const sut of [gateway, presence]) {
      await expect(sut.healthCheck.check()).rejects.toThrow(text);
      expect(sut.healthCheck.isWarning).toBe(true);
    }
    expect(warnings()).toEqual([expect.stringMatching(text), expect.stringMatching(text)]);
  });

  it('does not warn a program of a setting that it does not know', async () => {
    const [one, other] = [start('api-gateway', { KEY: 'a' }), start('api-gateway', { KEY: 'b' })];
    const presence = start('presence', { PING: 'a' });
    for (const sut of [one, other, presence]) await sut.compare();
    await expect(presence.healthCheck.check()).resolves.toBeUndefined();
    await expect(other.healthCheck.check()).rejects.toThrow('KEY differs');
  });

  it('names a few of many programs', async () => {
    const gateways = Array.from({ length: 5 }, () => start('api-gateway', { KEY: 'a' }));
    for (const sut of [...gateways, start('api-gateway', { KEY: 'b' })]) await sut.compare();
    await gateways[0]?.compare();
    await expect(gateways[0]?.healthCheck.check()).rejects.toThrow(/\(\d+\) and 2 more/);
  });

  it('compares programs with wrong clocks, and warns of the clocks', async () => {
    const behind = start('api-gateway', { PING: 'a' }, -600_000);
    const ahead = start('presence', { PING: 'b' }, 600_000);
    const right = start('push-worker', { PING: 'a' }, 1000);
    for (const sut of [behind, ahead, right, behind]) await sut.compare();
    for (const sut of [behind, ahead, right]) {
      await expect(sut.healthCheck.check()).rejects.toThrow('PING differs');
    }
    await expect(behind.clockCheck.check()).rejects.toThrow('the clock is 600 s behind that of');
    await expect(ahead.clockCheck.check()).rejects.toThrow('the clock is 600 s ahead of that of');
    await expect(right.clockCheck.check()).resolves.toBeUndefined();
    const reports = await new SettingsReportStore(redis).recent(Date.now());
    expect(wrongClocks(reports)).toEqual([
      expect.stringMatching(/^api-gateway .+: the clock is 600 s behind/),
      expect.stringMatching(/^presence .+: the clock is 600 s ahead of/),
    ]);
  });

  it('ends the warning when the other program has stopped, or was killed', async () => {
    const gateway = start('api-gateway', { PING: 'a' });
    const killed = start('presence', { PING: 'b' });
    await killed.compare();
    const [report = ''] = await redis.keys('carillon:program:*');
    const stopped = start('presence', { PING: 'c' });
    for (const sut of [stopped, gateway]) await sut.compare();
    await stopped.onModuleDestroy();
    await gateway.compare();
    await expect(gateway.healthCheck.check()).rejects.toThrow('PING differs');
    await redis.pexpire(report, 1);
    await eventually(async () => expect(await redis.exists(report)).toBe(0));
    await gateway.compare();
    await expect(gateway.healthCheck.check()).resolves.toBeUndefined();
  });
});
