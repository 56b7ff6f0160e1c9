import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { pushJobs, queueNames } from '#push/jobs';
import { DatabaseModule } from '#platform/database';
import { JobQueues, QueueModule } from '#platform/queue';
import { RedisModule } from '#platform/redis';
import { Metrics, TelemetryModule } from '#platform/telemetry';
import {
  PUSH_OBSERVER,
  PushObserveModule,
  type PushObserver,
  PipelineReader,
} from '#push/observability';
import { eventually } from '#test/eventually';
import { testRedisUrl } from '#test/test-stores';
import { withRedis } from '#test/throwaway-redis';
import { useDatabase } from '#test/use-fixture';

const HALF_AN_HOUR_OF_BUCKETS = 180;
const delivery = { platform: 'fcm', kind: 'message', appId: null, acceptedAt: 0 } as const;

describe(PushObserveModule.name, () => {
  const stores = useDatabase();
  let prefix: string;
  const programs: INestApplicationContext[] = [];

  /** A program that observes the pipeline of this test. */
  const start = async (redisUrl = testRedisUrl()) => {
    @Module({
      imports: [
        DatabaseModule.connect({ url: stores.url, poolSize: 2 }),
        RedisModule.connect(redisUrl),
        QueueModule.connect([redisUrl], pushJobs, prefix),
        PushObserveModule,
        TelemetryModule,
      ],
    })
    class ProgramModule {}
    const program = await NestFactory.createApplicationContext(ProgramModule, {
      logger: false,
      abortOnError: false,
    });
    programs.push(program);
    const parts = {
      observer: program.get<PushObserver>(PUSH_OBSERVER, { strict: false }),
      pipeline: program.get(PipelineReader, { strict: false }),
      metrics: program.get(Metrics, { strict: false }),
      queues: program.get(JobQueues, { strict: false }),
      stop: () => program.close(),
    };
    // A program starts before its connections are open.
    if (redisUrl === testRedisUrl()) await eventually(() => parts.pipeline.read());
    return parts;
  };

  beforeEach(() => {
    prefix = `test-${randomBytes(6).toString('hex')}`;
  });
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.close()));
    await withRedis(testRedisUrl(), async (redis) => {
      const keys = await redis.keys(`${prefix}:*`);
      if (keys.length > 0) await redis.del(keys);
    });
  });

  const sumOf = async (pipeline: PipelineReader, outcome: string) => {
    const { outcomes } = await pipeline.read();
    return outcomes.reduce((sum, { counts }) => sum + (counts[outcome] ?? 0), 0);
  };

  it('counts the targets that apps have registered with Google', async () => {
    const { prisma } = stores.database;
    const data = { subdomain: 'targets', name: 'Targets' };
    const { id: realmId } = await prisma.realm.create({ data });
    await prisma.pushRegistration.createMany({
      data: ['fid', 'token', 'token', null].map((fcmTarget, index) => ({
        realmId,
        tokenId: new Uint8Array([index]),
        platform: 'fcm',
        token: `${index}`,
        tokenDigest: new Uint8Array([index]),
        fcmTarget,
      })),
    });
    const { metrics } = await start();
    const text = await metrics.read();
    expect(text).toContain('carillon_push_fcm_targets{target="fid"} 1\n');
    expect(text).toContain('carillon_push_fcm_targets{target="token"} 2\n');
    expect(text).toContain('carillon_push_fcm_targets{target="unknown"} 1\n');
  });

  it('counts the accounts that hold messages back, by cause', async () => {
    const { prisma } = stores.database;
    const dueAt = new Date();
    const holding = { dueAt, heldFromMessageId: 1, heldUntil: dueAt };
    await prisma.pushDeferral.createMany({
      data: [
        { userId: 1, ...holding, holdCause: 'snoozed' },
        { userId: 2, ...holding, holdCause: 'delayed' },
        { userId: 3, ...holding, holdCause: 'delayed' },
        { userId: 4, dueAt, fromMessageId: 1 },
      ],
    });
    const reminder = { userId: 5, notificationId: randomUUID(), dueAt };
    await prisma.pushReminder.createMany({
      data: [1, 2].map((messageId) => ({ ...reminder, messageId })),
    });
    const text = await (await start()).metrics.read();
    expect(text).toContain('carillon_push_holding_accounts{cause="quiet_hours"} 0\n');
    expect(text).toContain('carillon_push_holding_accounts{cause="snoozed"} 1\n');
    expect(text).toContain('carillon_push_holding_accounts{cause="delayed"} 2\n');
    expect(text).toContain('carillon_push_holding_accounts{cause="reminder"} 1\n');
  });

  it('adds up the outcomes of all programs', async () => {
    const one = await start();
    const other = await start();
    one.observer.accepted('fcm', 'message', 'bulk', 3);
    one.observer.ended(delivery, 'delivered');
    other.observer.ended(delivery, 'delivered');
    other.observer.retried(delivery, 'UNAVAILABLE');
    await eventually(async () => {
      expect(await sumOf(one.pipeline, 'fcm:accepted')).toBe(3);
      expect(await sumOf(one.pipeline, 'fcm:delivered')).toBe(2);
      expect(await sumOf(one.pipeline, 'fcm:retried')).toBe(1);
    });
  });

  it('keeps the counts of the last moments before a stop', async () => {
    const one = await start();
    const other = await start();
    one.observer.pruned('fcm', 4);
    await one.stop();
    expect(await sumOf(other.pipeline, 'fcm:pruned')).toBe(4);
  });

  it('shows half an hour without gaps, also without notifications', async () => {
    const { pipeline } = await start();
    const { outcomes } = await pipeline.read();
    expect(outcomes).toHaveLength(HALF_AN_HOUR_OF_BUCKETS);
    const steps = outcomes.slice(1).map(({ at }, index) => at - (outcomes[index]?.at ?? 0));
    expect(new Set(steps)).toEqual(new Set([10_000]));
  });

  it('sets an expiry on stored counts', async () => {
    const { observer, stop } = await start();
    observer.delayedByBreaker('fcm', 1);
    await stop();
    await withRedis(testRedisUrl(), async (redis) => {
      const [key = ''] = await redis.keys(`${prefix}:push:outcomes:*`);
      expect(await redis.ttl(key)).toBeGreaterThan(3000);
    });
  });

  it('reports the state of the queues', async () => {
    const { pipeline, queues, metrics } = await start();
    const payload = {
      v: 2 as const,
      items: [{ id: '7d0e9a3e-58a4-4b64-9a1a-2c8a8f5d5b0e', devices: [1] }],
    };
    await queues.enqueue('push-fcm', { name: 'notification.deliver', payload, jobId: 'a' });
    await queues.enqueue('push-fcm', {
      name: 'notification.deliver',
      payload,
      jobId: 'b',
      delayMs: 60_000,
    });
    await queues.pause('push-apns');
    const { queues: all } = await pipeline.read();
    expect(all.find(({ name }) => name === 'push-fcm')).toEqual({
      name: 'push-fcm',
      waiting: 1,
      delayed: 1,
      active: 0,
      isPaused: false,
      oldestWaitingMs: expect.any(Number),
    });
    expect(all.find(({ name }) => name === 'push-apns')).toMatchObject({
      waiting: 0,
      isPaused: true,
      oldestWaitingMs: null,
    });
    const text = await metrics.read();
    expect(text).toContain('carillon_push_queue_jobs{queue="push-fcm",state="delayed"} 1\n');
    expect(text).toContain('carillon_push_queue_paused{queue="push-apns"} 1\n');
    expect(text).toMatch(/carillon_push_queue_oldest_seconds\{queue="push-fcm"\} \d/);
  });

  it('reports zero workers for a queue without a worker', async () => {
    const { metrics } = await start();
    const text = await metrics.read();
    for (const queue of queueNames) {
      expect(text).toContain(`carillon_push_queue_workers{queue="${queue}"} 0\n`);
    }
  });

  it('reports the number and age of pending deliveries in the ledger', async () => {
    const { metrics } = await start();
    const { prisma } = stores.database;
    const realm = await prisma.realm.create({ data: { subdomain: prefix, name: 'Push' } });
    const { id: userId } = await prisma.user.create({
      data: {
        realmId: realm.id,
        deliveryEmail: 'a@example.org',
        email: 'a@example.org',
        fullName: 'A',
        role: 400,
        apiKeyHash: new Uint8Array(randomBytes(32)),
        apiKeySealed: new Uint8Array(),
      },
    });
    for (const [minutes, state] of [
      [10, 'pending'],
      [5, 'pending'],
      [60, 'delivered'],
    ] as const) {
      const notificationId = crypto.randomUUID();
      await prisma.pushNotification.create({
        data: {
          id: notificationId,
          userId,
          kind: 'test',
          content: {},
          acceptedAt: new Date(Date.now() - minutes * 60_000),
          expiresAt: new Date(Date.now() + 60_000),
        },
      });
      await prisma.pushDelivery.create({
        data: { notificationId, deviceId: 1, platform: 'fcm', state },
      });
    }
    const text = await metrics.read();
    expect(text).toContain('carillon_push_pending_deliveries{platform="fcm"} 2\n');
    expect(text).toContain('carillon_push_pending_deliveries{platform="apns"} 0\n');
    const [, seconds] =
      /carillon_push_pending_oldest_seconds\{platform="fcm"\} (\S+)/.exec(text) ?? [];
    expect(Number(seconds)).toBeGreaterThan(590);
    expect(Number(seconds)).toBeLessThan(660);
  });

  it('reports the number of dead letters and outbox entries', async () => {
    const { metrics } = await start();
    const { prisma } = stores.database;
    await prisma.pushDeadLetter.createMany({
      data: [1, 2].map((deviceId) => ({
        notificationId: '7d0e9a3e-58a4-4b64-9a1a-2c8a8f5d5b0e',
        deviceId,
        userId: 1,
        platform: 'apns',
        kind: 'test',
        reason: 'BadTopic',
        payload: {},
      })),
    });
    await prisma.outboxEntry.create({
      data: { topic: 'account.logout', payload: {}, createdAt: new Date(Date.now() - 600_000) },
    });
    const text = await metrics.read();
    expect(text).toContain('carillon_push_dead_letters{platform="apns"} 2\n');
    expect(text).toContain('carillon_push_dead_letters{platform="fcm"} 0\n');
    expect(text).toContain('carillon_outbox_rows 1\n');
    const [, seconds] = /^carillon_outbox_oldest_seconds (\S+)/m.exec(text) ?? [];
    expect(Number(seconds)).toBeGreaterThan(599);
  });

  it('reports its own counts during an outage of Redis', async () => {
    const { metrics, observer, pipeline } = await start('redis://127.0.0.1:1');
    observer.ended(delivery, 'delivered');
    const text = await metrics.read();
    expect(text).toContain('carillon_push_sent_total{platform="fcm",kind="message"} 1\n');
    expect(text).toContain('carillon_push_pending_deliveries{');
    expect(text).not.toContain('carillon_push_queue_jobs{');
    expect(text).not.toContain('carillon_push_queue_workers{');
    await expect(pipeline.read()).rejects.toThrow(/connection|stream/i);
  });
});
