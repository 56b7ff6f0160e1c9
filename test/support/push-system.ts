import { randomBytes } from 'node:crypto';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '#chat/messages';
import { DEVICE_REVOKER, type DeviceRevoker } from '#directory/auth';
import { systemClock } from '#platform/core';
import type { Database } from '#platform/database';
import { JobQueues, type QueueCounts, queueKeyPrefix, type QueueOptions } from '#platform/queue';
import { type PushTransports, Sweeper } from '#push/delivery';
import { DevicesService } from '#push/devices';
import { DirectTestService } from '#push/notifications';
import { PushServiceClient, type RelaySettings, RelayTransport } from '#push/relay';
import type { PushJobs } from '#push/jobs';
import { eventually } from './eventually.js';
import { deliveriesTo } from './push-ledger.js';
import {
  type PushPrograms,
  startPushGateway,
  startPushWorker,
  untilQueuesAnswer,
  type WorkerTiming,
} from './push-programs.js';
import { androidToken } from './push-tokens.js';
import { createTestDatabase, type TestDatabase, testRedisUrl } from './test-stores.js';
import { withRedis } from './throwaway-redis.js';
import { type Given, givenBy, useFixture } from './use-fixture.js';

/** The parts of an account that the services need. */
export interface Account {
  readonly userId: number;
  readonly keyGeneration: number;
}

interface StartOptions {
  readonly redisUrl?: string;
  /** The Redis of the queues; by default the same. */
  readonly queueRedisUrls?: readonly string[];
  /** The push service of another server. */
  readonly relay?: RelaySettings | null;
}

/** The push modules of a gateway, and workers, on their own database. */
export class PushSystem {
  readonly #workers: INestApplicationContext[] = [];

  private constructor(
    private readonly stores: TestDatabase,
    private readonly programs: PushPrograms,
    private readonly gateway: INestApplicationContext,
    readonly realmId: number,
  ) {}

  /** Uses the Redis of the test run by default. */
  static async start({
    redisUrl = testRedisUrl(),
    queueRedisUrls = [redisUrl],
    relay = null,
  }: StartOptions = {}): Promise<PushSystem> {
    const stores = await createTestDatabase();
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    const programs = { databaseUrl: stores.url, redisUrl, queueRedisUrls, prefix, relay };
    const gateway = await startPushGateway(programs);
    const realm = await stores.database.prisma.realm.create({
      data: { subdomain: '', name: 'Push' },
    });
    return new PushSystem(stores, programs, gateway, realm.id);
  }

  get database(): Database {
    return this.stores.database;
  }

  get devices(): DevicesService {
    return this.gateway.get(DevicesService, { strict: false });
  }

  get sendTest(): DirectTestService {
    return this.gateway.get(DirectTestService, { strict: false });
  }

  get messages(): MessageNotifier {
    return this.gateway.get<MessageNotifier>(MESSAGE_NOTIFIER, { strict: false });
  }

  get logouts(): DeviceRevoker {
    return this.gateway.get<DeviceRevoker>(DEVICE_REVOKER, { strict: false });
  }

  get queueOptions(): QueueOptions {
    return { prefix: this.programs.prefix };
  }

  /** A service of the gateway. */
  service<Service>(type: Type<Service>): Service {
    return this.gateway.get(type, { strict: false });
  }

  /** Starts a worker; see startPushWorker. */
  async startWorker(
    transports: PushTransports,
    timing: WorkerTiming = {},
  ): Promise<INestApplicationContext> {
    const worker = await startPushWorker(this.programs, transports, timing);
    this.#workers.push(worker);
    return worker;
  }

  /**
   * Starts a worker that sends through the push service of another server, and Web Push itself. Resolves when the service knows
   * the organisation: a registration before that waits for the sweeper.
   */
  async startRelayWorker({
    sweepMs,
    web,
  }: Pick<WorkerTiming, 'sweepMs'> &
    Pick<PushTransports, 'web'> = {}): Promise<INestApplicationContext> {
    const { relay } = this.programs;
    if (relay === null) throw new Error('This system does not relay');
    const transport = new RelayTransport(new PushServiceClient(relay, systemClock));
    const transports = { apns: transport, fcm: transport, ...(web && { web }) };
    const worker = await this.startWorker(transports, { sweepMs });
    const uploaded = { where: { uploadedAt: { not: null } } };
    await eventually(() => this.database.prisma.pushServiceUpload.findFirstOrThrow(uploaded));
    return worker;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.close()));
  }

  /** Lets the changes of the phones of an account be due at the push service, and adds their job. */
  async sendChanges(worker: INestApplicationContext, { userId }: Account): Promise<void> {
    await this.database.prisma.$executeRaw`
      UPDATE push_service_changes SET due_at = now() - interval '1 second' WHERE user_id = ${userId}`;
    await this.sweep(worker);
  }

  /** Sweeps once, after the worker has connected to Redis: a sweep without a connection does nothing. */
  async sweep(worker: INestApplicationContext): Promise<void> {
    await untilQueuesAnswer(worker);
    await worker.get(Sweeper, { strict: false }).sweep();
  }

  /** Removes all keys of this system from Redis. */
  async forgetQueues(): Promise<void> {
    await withRedis(this.programs.redisUrl, async (redis) => {
      const keys = await redis.keys(`${this.programs.prefix}:*`);
      if (keys.length > 0) await redis.del(keys);
    });
  }

  async addAccount(): Promise<Account> {
    const name = randomBytes(6).toString('hex');
    const { id, keyGeneration } = await this.database.prisma.user.create({
      data: {
        realmId: this.realmId,
        deliveryEmail: `${name}@example.org`,
        email: `${name}@example.org`,
        fullName: name,
        role: 400,
        apiKeyHash: new Uint8Array(randomBytes(32)),
        apiKeySealed: new Uint8Array(),
      },
    });
    return { userId: id, keyGeneration };
  }

  /** Registers many Android phones at once, and resolves with their tokens. */
  async addPhones({ userId, keyGeneration }: Account, count: number): Promise<string[]> {
    const tokens = Array.from({ length: count }, androidToken);
    await this.database.query(
      'add_phones',
      `INSERT INTO push_devices (user_id, key_generation, platform, token, token_digest)
       SELECT $1, $2, 'fcm', token, sha256(convert_to(token, 'UTF8'))
       FROM unnest($3::text[]) AS token`,
      [userId, keyGeneration, tokens],
    );
    return tokens;
  }

  /** Raises the key generation of an account and stores the logout of its devices, as a new API key does. */
  async replaceKey({ userId, keyGeneration }: Account): Promise<Account & { outboxId: string }> {
    const next = keyGeneration + 1;
    const [, promise] = await this.database.prisma.$transaction([
      this.database.prisma.user.update({ where: { id: userId }, data: { keyGeneration: next } }),
      this.database.prisma.outboxEntry.create({
        data: { topic: 'account.logout', payload: { userId, keyGeneration: next } },
      }),
    ]);
    return { userId, keyGeneration: next, outboxId: String(promise.id) };
  }

  /** Takes a message back from the screens of accounts, as the transaction that marks it as read does. */
  async takeBack(messageId: number, ...accounts: readonly Account[]): Promise<void> {
    const read = accounts.map(({ userId }) => ({ userId, messageId }));
    await this.database.transaction((transaction) => this.messages.read(transaction, read));
  }

  /** Adds a job for every pending delivery of an account, beside the existing jobs. */
  async enqueueAgain(account: Account): Promise<void> {
    await this.enqueueOneByOne(await this.notificationsOf(account), account);
  }

  /** Adds a job for each notification, to all Android devices of the account, in this order. */
  async enqueueOneByOne(ids: readonly string[], { userId }: Account): Promise<void> {
    const found = await this.database.prisma.pushDevice.findMany({ where: { userId } });
    const devices = found.map(({ id }) => id);
    for (const id of ids) {
      await this.#jobQueues.enqueue('push-fcm', {
        name: 'notification.deliver',
        // BullMQ rejects a numeric job id.
        jobId: `again-${randomBytes(8).toString('hex')}`,
        payload: { v: 2, items: [{ id, devices }] },
      });
    }
  }

  /** A key of the urgent queue for Android. */
  get queueKey(): string {
    return queueKeyPrefix(this.programs.prefix, 'push-fcm');
  }

  /** The number of jobs for Android. */
  async jobs(): Promise<QueueCounts> {
    const [urgent, bulk] = await Promise.all([
      this.#jobQueues.counts('push-fcm'),
      this.#jobQueues.counts('push-fcm-bulk'),
    ]);
    return {
      waiting: urgent.waiting + bulk.waiting,
      delayed: urgent.delayed + bulk.delayed,
      active: urgent.active + bulk.active,
    };
  }

  /** The age of the oldest waiting job for Android. */
  async oldestWaitingMs(): Promise<number | null> {
    return this.#jobQueues.oldestWaitingMs('push-fcm');
  }

  get #jobQueues(): JobQueues<PushJobs> {
    return this.gateway.get(JobQueues, { strict: false });
  }

  /** The ids of an account's notifications, in the order of acceptance. */
  async notificationsOf({ userId }: Account): Promise<string[]> {
    const deliveries = await deliveriesTo(this.database.prisma, userId);
    return [...new Set(deliveries.map(({ notificationId }) => notificationId))];
  }

  deadLettersOf({ userId }: Account) {
    return this.database.prisma.pushDeadLetter.findMany({ where: { userId } });
  }

  /** In the order of the devices. */
  async deliveriesOf({ userId }: Account) {
    const deliveries = await deliveriesTo(this.database.prisma, userId);
    return deliveries.toSorted((one, other) => one.deviceId - other.deviceId);
  }

  async tokensOf({ userId }: Account): Promise<string[]> {
    const devices = await this.database.prisma.pushDevice.findMany({ where: { userId } });
    return devices.map(({ token }) => token).toSorted();
  }

  async stop(): Promise<void> {
    await this.stopWorkers();
    await this.gateway.close();
    await this.forgetQueues();
    await this.stores.drop();
  }
}

/** The system of all tests of a file, or of a `describe`. */
export const usePushSystem = (options: Given<StartOptions> = {}): PushSystem =>
  useFixture(async () => PushSystem.start(await givenBy(options)));
