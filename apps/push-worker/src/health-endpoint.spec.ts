import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PushJobs, QueueName } from '#push/jobs';
import type { DatabaseHealth } from '#platform/database';
import type { JobQueues } from '#platform/queue';
import { Metrics } from '#platform/telemetry';
import { CircuitBreakers } from '#push/breakers';
import { freePorts } from '#test/free-ports';
import type { CredentialRotation } from './credential-rotation.js';
import { HealthEndpoint } from './health-endpoint.js';

const works = () => Promise.resolve();

describe(HealthEndpoint.name, () => {
  let lost: QueueName;
  let url: string;
  let sut: HealthEndpoint;

  beforeEach(async () => {
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}/health/ready`;
    const database: Pick<DatabaseHealth, 'postgresql' | 'writes' | 'schema' | 'pool'> = {
      postgresql: { name: 'postgresql', check: works },
      writes: { name: 'writes', check: works },
      schema: { name: 'schema', check: works },
      pool: () => ({ total: 0, idle: 0, waiting: 0, size: 1 }),
    };
    const queues: Pick<JobQueues<PushJobs>, 'checkWrites'> = {
      checkWrites: async (names) => {
        if (names.includes(lost)) throw new Error('its node is down');
      },
    };
    sut = new HealthEndpoint(
      {
        host: '127.0.0.1',
        port,
        queues: ['push-apns', 'push-apns-bulk'],
        queuesPlace: 'cache:6379 (REDIS_URL)',
        checks: [],
      },
      database as DatabaseHealth,
      queues as JobQueues<PushJobs>,
      new CircuitBreakers(Date.now),
      new Metrics(),
      { check: works } as CredentialRotation,
    );
    await sut.onApplicationBootstrap();
  });
  afterEach(() => sut.onApplicationShutdown());

  it('fails while a queue of this worker cannot be reached', async () => {
    lost = 'push-apns-bulk';
    const response = await fetch(url);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ failing: { redis: 'its node is down' } });
  });

  it('does not fail while a queue of other workers cannot be reached', async () => {
    lost = 'push-fcm';
    expect((await fetch(url)).status).toBe(200);
  });
});
