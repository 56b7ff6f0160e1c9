import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ApiKeysService,
  AuthModule,
  AuthVersionCache,
  AuthVersionStore,
  generateApiKey,
  hashApiKey,
  hashPassword,
  DEVICE_REVOKER,
  type DeviceRevoker,
  type LogoutOutboxEntry,
  sealApiKey,
  PasswordSignInService,
} from '#directory/auth';
import { roles } from '#directory/roles';
import { type Authenticator, AUTHENTICATOR, type AuthRequest } from '#platform/contracts';
import { Database } from '#platform/database';
import { type RateLimitRules, RateLimitsModule } from '#platform/rate-limits';
import {
  closeRedis,
  openRedis,
  PubSub,
  REDIS,
  type Redis,
  UnreadableMessages,
  untilReady,
} from '#platform/redis';
import { Metrics } from '#platform/telemetry';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
import { testRedisUrl } from './test-stores.js';

const secret = randomBytes(32);
export const PASSWORD = 'correct horse battery staple';

const generous: RateLimitRules = {
  user: [{ seconds: 60, calls: 1_000_000 }],
  address: [{ seconds: 60, calls: 1_000_000 }],
  file: [{ seconds: 60, calls: 1_000_000 }],
  'sign-in': [{ seconds: 60, calls: 1_000_000 }],
};

/** Records the revocations. */
class RecordingDeviceRevoker implements DeviceRevoker {
  readonly revoked: LogoutOutboxEntry[] = [];

  revoke(logout: LogoutOutboxEntry): Promise<void> {
    this.revoked.push(logout);
    return Promise.resolve();
  }

  stopDeliveries(): Promise<void> {
    return Promise.resolve();
  }
}

/** The authentication of one gateway process: its own caches and Redis connection, and a shared database. */
export interface AuthGateway {
  readonly auth: Authenticator;
  readonly apiKeys: ApiKeysService;
  readonly signIn: PasswordSignInService;
  readonly versions: AuthVersionStore;
  readonly revoker: RecordingDeviceRevoker;
  readonly redis: Redis;
  readonly proxy: TcpProxy;
  /** Loses the connection to Redis; resolves when there is a new one. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

@Module({})
class GivenModule {}

const given = (
  token: symbol | typeof Database | typeof PubSub,
  value: unknown,
  isGlobal = false,
): DynamicModule => ({
  module: GivenModule,
  // Nest distinguishes dynamic modules of one class by their providers.
  providers: [{ provide: token, useValue: value }],
  exports: [token],
  global: isGlobal,
});

export async function startAuthGateway(
  database: Database,
  rules: Partial<RateLimitRules> = {},
  redisUrl = testRedisUrl(),
): Promise<AuthGateway> {
  const proxy = await startTcpProxy(redisUrl);
  const redis = openRedis(proxy.url, 'test', { enableAutoPipelining: true });
  await untilReady(redis, 5000);
  const pubSub = new PubSub(redis, new UnreadableMessages(new Metrics()));
  const revoker = new RecordingDeviceRevoker();
  const module = await Test.createTestingModule({
    imports: [
      given(Database, database, true),
      given(REDIS, redis, true),
      given(PubSub, pubSub, true),
      AuthModule.with({
        apiKeySecret: secret,
        cacheSeconds: 30,
        externalUrl: 'http://chat.test',
        imports: [RateLimitsModule.with({ ...generous, ...rules }), given(DEVICE_REVOKER, revoker)],
      }),
    ],
  }).compile();
  await module.init();
  const cache = module.get(AuthVersionCache, { strict: false });
  return {
    auth: module.get<Authenticator>(AUTHENTICATOR),
    apiKeys: module.get(ApiKeysService),
    signIn: module.get(PasswordSignInService),
    versions: module.get(AuthVersionStore, { strict: false }),
    revoker,
    redis,
    proxy,
    reconnect: async () => {
      // `once` of node:events would reject: a connection may be lost with an error.
      const lost = new Promise<void>((resolve) => void redis.once('close', resolve));
      await proxy.close();
      await lost;
      await proxy.reopen();
      await untilReady(redis, 5000);
    },
    close: async () => {
      // Not the module: that would close the database of the test file.
      await cache.beforeApplicationShutdown();
      await pubSub.onApplicationShutdown();
      await closeRedis(redis);
      await proxy.close();
    },
  };
}

export interface TestAccount {
  readonly userId: number;
  readonly email: string;
  readonly apiKey: string;
  readonly realmId: number;
  readonly host: string;
}

/** Adds an account in a new organisation. Their ids are random, because all test files share one Redis. */
export async function addAccount(
  database: Database,
  fields: { role?: number; isBot?: boolean; isActive?: boolean; deactivatedAt?: Date } = {},
): Promise<TestAccount> {
  const { deactivatedAt, ...user } = fields;
  const apiKey = generateApiKey();
  const userId = randomInt(1_000_000, 2_000_000_000);
  const subdomain = `realm-${userId}`;
  const email = `Some_one.${userId}@chat.test`;
  const realm = await database.prisma.realm.create({
    data: {
      id: userId,
      subdomain,
      name: 'Chat',
      deactivatedAt: deactivatedAt ?? null,
      users: {
        create: {
          id: userId,
          deliveryEmail: email,
          email,
          fullName: 'Someone',
          role: roles.member,
          passwordHash: await hashPassword(PASSWORD),
          apiKeyHash: new Uint8Array(hashApiKey(apiKey)),
          apiKeySealed: new Uint8Array(sealApiKey(apiKey, secret)),
          ...user,
        },
      },
    },
  });
  return { userId, email, apiKey, realmId: realm.id, host: `${subdomain}.chat.test` };
}

/** The request of an account, by default from a new address, so that no other test has used its rate limit. */
export const requestOf = (
  { email, apiKey, host }: TestAccount,
  other: Partial<{ email: string; apiKey: string; host: string; address: string }> = {},
): AuthRequest => ({
  authorization: `Basic ${Buffer.from(`${other.email ?? email}:${other.apiKey ?? apiKey}`).toString('base64')}`,
  host: other.host ?? host,
  address: other.address ?? randomUUID(),
});
