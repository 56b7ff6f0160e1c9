import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { roles } from '#directory/roles';
import { type DeliveryState, type Platform, pushJobs } from '#push/jobs';
import { type Database, DatabaseModule, type Prisma } from '#platform/database';
import { OperatorActionsModule } from '#platform/operator-actions';
import { QueueModule } from '#platform/queue';
import { RedisModule } from '#platform/redis';
import { PushOperatorModule } from '#push/admin';
import { androidToken, iphoneToken } from './push-tokens.js';
import { createTestDatabase, type TestDatabase, testRedisUrl } from './test-stores.js';
import { withRedis } from './throwaway-redis.js';
import { useFixture } from './use-fixture.js';

/** A registered device. */
export interface WorldDevice {
  readonly id: number;
  readonly userId: number;
  readonly platform: Platform;
  readonly token: string;
  readonly fingerprint: string;
}

/** Overrides for a notification. */
interface NotificationTraits {
  readonly id?: string;
  readonly kind?: string;
  readonly content?: Prisma.InputJsonObject;
  readonly acceptedAt?: Date;
  readonly expiresAt?: Date;
}

/** Overrides for a delivery. */
interface DeliveryTraits {
  readonly state?: DeliveryState;
  readonly attempts?: number;
  readonly reason?: string;
  readonly history?: { at: string; reason: string; next: string | null }[];
  readonly dueAt?: Date;
}

/** The UUIDs of a remote server and of its organisation. */
export interface RemoteServerIds {
  readonly server: string;
  readonly organisation: string;
}

/** An organisation with accounts, devices and a ledger, and the services of an operator; no worker. */
export class OperatedWorld {
  private constructor(
    private readonly stores: TestDatabase,
    readonly operator: INestApplicationContext,
    readonly prefix: string,
    readonly realm: { readonly id: number; readonly subdomain: string },
  ) {}

  static async start(given?: TestDatabase): Promise<OperatedWorld> {
    const stores = given ?? (await createTestDatabase());
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    @Module({
      imports: [
        DatabaseModule.connect({ url: stores.url, poolSize: 3 }),
        RedisModule.connect(testRedisUrl()),
        QueueModule.connect([testRedisUrl()], pushJobs, prefix),
        OperatorActionsModule.of('test'),
        PushOperatorModule.with(),
      ],
    })
    class OperatorModule {}
    const operator = await NestFactory.createApplicationContext(OperatorModule, {
      logger: false,
      abortOnError: false,
    });
    const realm = await stores.database.prisma.realm.create({
      data: { subdomain: 'chat', name: 'Chat' },
    });
    return new OperatedWorld(stores, operator, prefix, realm);
  }

  get database(): Database {
    return this.stores.database;
  }

  get databaseUrl(): string {
    return this.stores.url;
  }

  async addPerson(email = `${randomBytes(4).toString('hex')}@example.org`) {
    return this.database.prisma.user.create({
      data: {
        realmId: this.realm.id,
        deliveryEmail: email,
        email,
        fullName: 'Somebody',
        role: roles.member,
        apiKeyHash: new Uint8Array(randomBytes(32)),
        apiKeySealed: new Uint8Array(),
      },
    });
  }

  async addDevice(userId: number, platform: Platform = 'fcm'): Promise<WorldDevice> {
    const token = platform === 'fcm' ? androidToken() : iphoneToken();
    const digest = createHash('sha256').update(token).digest();
    const { id } = await this.database.prisma.pushDevice.create({
      data: {
        userId,
        platform,
        token,
        tokenDigest: new Uint8Array(digest),
        keyGeneration: 1,
        appId: platform === 'apns' ? 'org.carillon.demo' : null,
      },
    });
    return { id, userId, platform, token, fingerprint: digest.toString('hex').slice(0, 12) };
  }

  /** A notification that was accepted a minute ago and expires in an hour. */
  async addNotification(userId: number, traits: NotificationTraits = {}): Promise<string> {
    const now = Date.now();
    const { id } = await this.database.prisma.pushNotification.create({
      data: {
        id: randomUUID(),
        userId,
        kind: 'test',
        content: { kind: 'test', time: Math.floor(now / 1000) },
        acceptedAt: new Date(now - 60_000),
        expiresAt: new Date(now + 3_540_000),
        ...traits,
      },
    });
    return id;
  }

  async addDelivery(
    notificationId: string,
    { id: deviceId, platform, fingerprint }: Omit<WorldDevice, 'token' | 'userId'>,
    traits: DeliveryTraits = {},
  ): Promise<void> {
    await this.database.prisma.pushDelivery.create({
      data: { notificationId, deviceId, platform, fingerprint, ...traits },
    });
  }

  /** A server that notifies through this push service, with an organisation and a pending delivery. */
  async addRemoteServer(hostname: string): Promise<RemoteServerIds> {
    const { prisma } = this.database;
    const [server, organisation] = [randomUUID(), randomUUID()];
    const { id } = await prisma.remoteServer.create({
      data: {
        uuid: server,
        keyHash: randomBytes(32),
        hostname,
        contactEmail: `admin@${hostname}`,
      },
    });
    await prisma.remoteRealm.create({
      data: {
        serverId: id,
        uuid: organisation,
        ownerSecretHash: randomBytes(32),
        host: hostname,
        url: `https://${hostname}`,
        name: 'Chat',
        orgType: 0,
        isDeactivated: false,
        createdAt: new Date(),
      },
    });
    await prisma.remoteDelivery.create({
      data: { serverId: id, deviceId: 1, platform: 'fcm', expiresAt: new Date() },
    });
    return { server, organisation };
  }

  /** Adds a rejected delivery and its dead letter; resolves with the id of its notification. */
  async addDeadLetter(
    device: WorldDevice,
    reason = 'PayloadTooLarge',
    ofNotification?: string,
  ): Promise<string> {
    const notificationId = ofNotification ?? (await this.addNotification(device.userId));
    await this.addDelivery(notificationId, device, { state: 'rejected', attempts: 1, reason });
    await this.database.prisma.pushDeadLetter.create({
      data: {
        notificationId,
        deviceId: device.id,
        userId: device.userId,
        platform: device.platform,
        kind: 'test',
        reason,
        fingerprint: device.fingerprint,
        payload: { aps: { alert: 17 } },
      },
    });
    return notificationId;
  }

  async stop(): Promise<void> {
    await this.operator.close();
    await withRedis(testRedisUrl(), async (redis) => {
      const keys = await redis.keys(`${this.prefix}:*`);
      if (keys.length > 0) await redis.del(keys);
    });
    await this.stores.drop();
  }
}

/** The world of all tests of a file, or of a `describe`. */
export const useOperatedWorld = (): OperatedWorld => useFixture(() => OperatedWorld.start());
