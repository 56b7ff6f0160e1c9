import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openRedis, type Redis, untilReady } from '#platform/redis';
import { eventually } from '#test/eventually';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { SettingsComparison } from './settings-comparison.js';
import { SettingsReportStore } from './settings-report.js';

const START = 1_800_000_000_000;

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

  const start = (program: string, settings: Record<string, string>) =>
    new SettingsComparison(program, settings, new SettingsReportStore(redis), () => START);
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
