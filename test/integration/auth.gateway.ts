import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  AuthModule,
  AuthVersionStore,
  FetchApiKey,
  generateApiKey,
  hashApiKey,
  hashPassword,
  LOGOUT_HURRIER,
  type LogoutHurrier,
  type PromisedLogout,
  RegenerateApiKey,
  sealApiKey,
} from '#auth';
import { type Admission, ADMISSION, type Applicant, roles } from '#contracts';
import { Database } from '#database';
import { type RateLimitRules, RateLimitsModule } from '#rate-limits';
import { closeRedis, openRedis, REDIS, type Redis, untilReady } from '#redis';
import { layWire, type SeverableWire } from '../support/severable-wire.js';
import { testRedisUrl } from '../support/test-stores.js';

export const secret = randomBytes(32);
export const PASSWORD = 'correct horse battery staple';

const generous: RateLimitRules = {
  user: [{ seconds: 60, calls: 1_000_000 }],
  address: [{ seconds: 60, calls: 1_000_000 }],
  file: [{ seconds: 60, calls: 1_000_000 }],
  'sign-in': [{ seconds: 60, calls: 1_000_000 }],
};

/** Keeps what it is asked to hurry, or fails while `isAway`. */
export class RecordingHurrier implements LogoutHurrier {
  readonly hurried: PromisedLogout[] = [];
  isAway = false;

  hurry(logout: PromisedLogout): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('The queue is away'));
    this.hurried.push(logout);
    return Promise.resolve();
  }
}

/** The sign-in of one gateway process: caches and a Redis connection of its own, a shared database. */
export interface Gateway {
  readonly admission: Admission;
  readonly regenerate: RegenerateApiKey;
  readonly fetch: FetchApiKey;
  readonly versions: AuthVersionStore;
  readonly hurrier: RecordingHurrier;
  readonly redis: Redis;
  readonly wire: SeverableWire;
  close(): Promise<void>;
}

@Module({})
class GivenModule {}

const given = (
  token: symbol | typeof Database,
  value: unknown,
  isGlobal = false,
): DynamicModule => ({
  module: GivenModule,
  // Nest tells dynamic modules of one class apart by what they provide.
  providers: [{ provide: token, useValue: value }],
  exports: [token],
  global: isGlobal,
});

export async function startGateway(
  database: Database,
  rules: Partial<RateLimitRules> = {},
): Promise<Gateway> {
  const wire = await layWire(testRedisUrl());
  const redis = openRedis(wire.url, 'test', { enableAutoPipelining: true });
  await untilReady(redis, 5000);
  const hurrier = new RecordingHurrier();
  const module = await Test.createTestingModule({
    imports: [
      given(Database, database, true),
      given(REDIS, redis, true),
      AuthModule.with({
        apiKeySecret: secret,
        cacheSeconds: 30,
        externalUrl: 'http://chat.test',
        imports: [RateLimitsModule.with({ ...generous, ...rules }), given(LOGOUT_HURRIER, hurrier)],
      }),
    ],
  }).compile();
  return {
    admission: module.get<Admission>(ADMISSION),
    regenerate: module.get(RegenerateApiKey),
    fetch: module.get(FetchApiKey),
    versions: module.get(AuthVersionStore, { strict: false }),
    hurrier,
    redis,
    wire,
    close: async () => {
      await closeRedis(redis);
      await wire.sever();
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

/** An account in an organisation of its own; both have an id that no other test's have, for Redis is shared. */
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

/** A request of an account, unless told otherwise, from an address that no other test charges. */
export const applicantOf = (
  { email, apiKey, host }: TestAccount,
  other: Partial<{ email: string; apiKey: string; host: string; address: string }> = {},
): Applicant => ({
  authorization: `Basic ${Buffer.from(`${other.email ?? email}:${other.apiKey ?? apiKey}`).toString('base64')}`,
  host: other.host ?? host,
  address: other.address ?? randomUUID(),
});
