import { describe, expect, it } from '@jest/globals';
import { queueKeyPrefix } from '#platform/queue';
import { OperatedWorld } from '#test/push-operate-world';
import { RecordingTerminal } from '#test/recording-terminal';
import { RedisCluster } from '#test/redis-cluster';
import { testRedisUrl } from '#test/test-stores';
import { useFixture } from '#test/use-fixture';
import { runCommandLine } from './run-command-line.js';

describe('The command line with the queues on Redis Cluster', () => {
  const cluster = useFixture(() => RedisCluster.start());
  const world = useFixture(() => OperatedWorld.start());

  async function run(...args: readonly string[]): Promise<unknown> {
    const terminal = new RecordingTerminal();
    await runCommandLine([...args, '--json'], terminal, {
      environment: {
        DATABASE_URL: world.databaseUrl,
        REDIS_URL: testRedisUrl(),
        QUEUE_REDIS_URL: cluster.urls.join(),
      },
      queuePrefix: world.prefix,
    });
    return JSON.parse(terminal.output || terminal.remarks);
  }

  it('pauses a platform while only the other one has lost a node', async () => {
    const lost = await cluster.nodeOf(queueKeyPrefix(world.prefix, 'push-apns-bulk'));
    await cluster.kill(lost);
    expect(await run('push', 'pause', 'fcm')).toEqual({ platform: 'fcm', is_paused: true });
    expect(await run('push', 'pause', 'apns')).toMatchObject({
      error: { code: 'redis_unreachable', message: expect.stringContaining('QUEUE_REDIS_URL') },
    });
    expect(await run('doctor')).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ part: `Queue node ${lost + 1}`, level: 'problem' }),
      ]),
    });
    await cluster.startAgain(lost);
    expect(await run('push', 'resume', 'apns')).toEqual({ platform: 'apns', is_paused: false });
  });
});
