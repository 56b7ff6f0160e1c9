import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Caller, signInErrors } from '#platform/contracts';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import {
  addAccount,
  type AuthGateway,
  requestOf,
  startAuthGateway,
  type TestAccount,
} from '#test/auth-gateway';
import { eventually } from '#test/eventually';
import { testRedisUrl } from '#test/test-stores';
import { useDatabase } from '#test/use-fixture';

/** A database of this file: the gateways of other files do not take part. */
const redisUrl = new URL('/14', testRedisUrl()).href;
const LEASES = 'auth:{leases}';

const refused = { message: 'Invalid API key' };

const signIn = async (gateway: AuthGateway, account: TestAccount): Promise<Caller> => {
  const caller = await gateway.auth.authenticate(requestOf(account), 'user', () => undefined);
  if (caller === null) throw new Error('The caller is not signed in');
  return caller;
};

/** Whether a gateway accepts the key of an account without a store. */
const isKnown = (gateway: AuthGateway, account: TestAccount): boolean =>
  gateway.auth.known(requestOf(account)) !== null;

const untilKnown = (gateway: AuthGateway, account: TestAccount): Promise<void> =>
  eventually(async () => {
    await signIn(gateway, account);
    expect(isKnown(gateway, account)).toBe(true);
  });

async function regenerate(gateway: AuthGateway, account: TestAccount): Promise<TestAccount> {
  const apiKey = await gateway.apiKeys.regenerate(await signIn(gateway, account));
  return { ...account, apiKey };
}

let redis: Redis;

beforeAll(async () => {
  redis = openRedis(redisUrl, 'test');
  await untilReady(redis, 5000);
});

afterAll(() => closeRedis(redis));

describe('the leases of gateways', () => {
  const stores = useDatabase();
  let one: AuthGateway;
  let other: AuthGateway;
  let account: TestAccount;

  const start = () => startAuthGateway(stores.database, {}, redisUrl);

  beforeEach(async () => {
    await redis.flushdb();
    [one, other] = await Promise.all([start(), start()]);
    account = await addAccount(stores.database);
    await Promise.all([untilKnown(one, account), untilKnown(other, account)]);
  });

  afterEach(() => Promise.all([one.close(), other.close()]));

  it('let no gateway use the old version of a changed account', async () => {
    const bystander = await addAccount(stores.database);
    await untilKnown(other, bystander);
    const renewed = await regenerate(one, account);
    expect(isKnown(one, account)).toBe(false);
    expect(isKnown(other, account)).toBe(false);
    expect(isKnown(other, bystander)).toBe(true);
    await untilKnown(other, renewed);
  });

  it('end while Redis does not answer a gateway, and a change waits for that', async () => {
    other.proxy.stall();
    const renewed = await regenerate(one, account);
    expect(isKnown(other, account)).toBe(false);
    await expect(signIn(other, account)).rejects.toMatchObject(refused);
    other.proxy.resume();
    await untilKnown(other, renewed);
  });

  it('end when a gateway loses its connection', async () => {
    await other.proxy.close();
    await eventually(() => expect(isKnown(other, account)).toBe(false));
    await other.proxy.reopen();
    await untilKnown(other, account);
  });

  it('are given back when a gateway stops', async () => {
    expect(await redis.hlen(LEASES)).toBe(4);
    await other.close();
    expect(await redis.hlen(LEASES)).toBe(3);
  });

  it('delay a change when Redis has lost them', async () => {
    other.proxy.stall();
    await redis.flushdb();
    await regenerate(one, account);
    expect(isKnown(other, account)).toBe(false);
    other.proxy.resume();
  });

  it('delay a change after a reconnect, because Redis may have older ones', async () => {
    other.proxy.stall();
    await one.reconnect();
    await redis.hdel(LEASES, ...Object.keys(await redis.hgetall(LEASES)).filter(isGateway));
    await redis.hset(LEASES, 'since', 0);
    await regenerate(one, account);
    expect(isKnown(other, account)).toBe(false);
    other.proxy.resume();
  });

  it('end by a change that another gateway finds in PostgreSQL', async () => {
    // The gateway that changed the account died before it raised the version.
    const { userId: id } = account;
    const data = { isActive: false, authVersion: { increment: 1 } };
    await stores.database.prisma.user.update({ where: { id }, data });
    const third = await start();
    await expect(signIn(third, account)).rejects.toMatchObject({
      error: signInErrors.accountDeactivated,
    });
    await eventually(() => expect(isKnown(other, account)).toBe(false));
    await third.close();
  });

  it('end by the change of a worker, which does not wait', async () => {
    const { userId: id } = account;
    const data = { isActive: false, authVersion: { increment: 1 } };
    await stores.database.prisma.user.update({ where: { id }, data });
    await one.versions.publish(id);
    await eventually(() => {
      expect(isKnown(one, account)).toBe(false);
      expect(isKnown(other, account)).toBe(false);
    });
  });

  it('are awaited by a change that began in a short outage', async () => {
    const caller = await signIn(one, account);
    await one.proxy.close();
    const changing = one.apiKeys.regenerate(caller);
    await eventually(async () => {
      const { userId: id } = account;
      const stored = await stores.database.prisma.user.findUniqueOrThrow({ where: { id } });
      expect(stored.keyGeneration).toBe(2);
    });
    await one.proxy.reopen();
    await changing;
    expect(isKnown(other, account)).toBe(false);
    await expect(signIn(other, account)).rejects.toMatchObject(refused);
  });

  it('let no gateway accept an old key while connections break', async () => {
    const gateways = [one, other, await start()];
    const world = new ChangingKeys(gateways);
    // The connections of the first gateway do not break, so that each change gets through.
    const [changer, ...breaking] = gateways;
    const first = await Promise.all([1, 2, 3].map(() => addAccount(stores.database)));
    const current = first.map((each) => world.changeKeys(changer ?? one, each));
    const others = [
      ...gateways.map((gateway) => world.tryOldKeys(gateway)),
      ...breaking.map((gateway) => world.breakConnections(gateway)),
    ];
    await eventually(() => {
      expect(world.seenInMemory).toBeGreaterThan(20);
      expect(world.old.length).toBeGreaterThan(20);
    }, 90_000);
    world.isOver = true;
    const last = await Promise.all(current);
    await Promise.all(others);
    expect(world.accepted).toEqual([]);
    for (const gateway of gateways) for (const each of last) await untilKnown(gateway, each);
    await gateways[2]?.close();
  });
});

/** Accounts that get one new key after another, and gateways that must refuse the old keys. */
class ChangingKeys {
  /** The accounts with keys that every gateway must refuse. */
  readonly old: TestAccount[] = [];
  /** The old keys that a gateway has accepted. */
  readonly accepted: string[] = [];
  /** How often a gateway knew a key when it was replaced. */
  seenInMemory = 0;
  isOver = false;

  constructor(private readonly gateways: readonly AuthGateway[]) {}

  /** Resolves with the account and its last key. */
  async changeKeys(gateway: AuthGateway, first: TestAccount): Promise<TestAccount> {
    let current = first;
    while (!this.isOver) {
      const signingIn = this.gateways.map((one) => signIn(one, current));
      await Promise.race([Promise.allSettled(signingIn), delay(50)]);
      const knowing = this.gateways.filter((one) => isKnown(one, current));
      this.seenInMemory += knowing.length;
      const previous = current;
      current = await regenerate(gateway, previous);
      this.old.push(previous);
      this.#checkMemories();
      await Promise.allSettled(signingIn);
    }
    return current;
  }

  #checkMemories(): void {
    for (const old of this.old.slice(-10)) {
      for (const gateway of this.gateways) {
        if (isKnown(gateway, old)) this.accepted.push(`${old.apiKey}, from memory`);
      }
    }
  }

  async tryOldKeys(gateway: AuthGateway): Promise<void> {
    while (!this.isOver) {
      this.#checkMemories();
      const signingIn = this.old.slice(-5).map((old) =>
        signIn(gateway, old).then(
          () => this.accepted.push(old.apiKey),
          () => undefined,
        ),
      );
      await Promise.race([Promise.all(signingIn), delay(20)]);
      await delay(2);
    }
  }

  async breakConnections({ proxy }: AuthGateway): Promise<void> {
    while (!this.isOver) {
      await delay(Math.random() * 800);
      if (Math.random() < 0.5) {
        proxy.stall();
        await delay(Math.random() * 1500);
        proxy.resume();
      } else {
        await proxy.close();
        await delay(Math.random() * 300);
        await proxy.reopen();
      }
    }
  }
}

const isGateway = (field: string): boolean => field !== 'last' && field !== 'since';
