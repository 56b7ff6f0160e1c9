import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { eventually } from '#test/eventually';
import { testRedisUrl } from '#test/test-stores';
import * as fc from 'fast-check';
import { SignInLeaseStore } from './sign-in-leases.store.js';

/** A database of this file: the gateways of other files do not take part. */
const redisUrl = new URL('/13', testRedisUrl()).href;

const LEASES = 'auth:{leases}';

let redis: Redis;

beforeAll(async () => {
  redis = openRedis(redisUrl, 'test');
  await untilReady(redis, 5000);
});

afterAll(() => closeRedis(redis));

describe(SignInLeaseStore.name, () => {
  let sut: SignInLeaseStore;

  beforeEach(async () => {
    await redis.flushdb();
    sut = new SignInLeaseStore(redis);
  });

  /** The last change, applied by the gateway. */
  async function applyAll(gateway: string, applied = ''): Promise<string> {
    const renewal = await sut.renew(gateway, applied);
    return renewal.isRenewed ? applied : applyAll(gateway, renewal.last);
  }

  it('gives a gateway a lease only after it has applied all changes', async () => {
    const applied = await applyAll('one');
    const change = await sut.publishChange([7, 8]);
    expect(await sut.renew('one', applied)).toEqual({
      isRenewed: false,
      last: change,
      changed: [7, 8],
    });
    expect(await sut.renew('one', applied)).toMatchObject({ isRenewed: false });
    expect(await sut.renew('one', change)).toEqual({ isRenewed: true });
  });

  it('does not list changes for a gateway whose lease has ended or is unknown', async () => {
    const applied = await applyAll('one');
    await sut.publishChange([7]);
    expect(await sut.renew('other', applied)).toMatchObject({ isRenewed: false, changed: null });
    await sut.release('one');
    expect(await sut.renew('one', applied)).toMatchObject({ isRenewed: false, changed: null });
  });

  it('says that a change is applied when all gateways with a lease have it', async () => {
    const [one, other] = [await applyAll('one'), await applyAll('other')];
    await redis.hset(LEASES, 'since', 0);
    const change = await sut.publishChange([7]);
    await applyAll('one', one);
    expect(await sut.isApplied(change)).toBe(false);
    await applyAll('other', other);
    expect(await sut.isApplied(change)).toBe(true);
  });

  it('does not say so in the first second, because Redis may have lost leases', async () => {
    await applyAll('one');
    const change = await sut.publishChange([7]);
    await applyAll('one');
    expect(await sut.isApplied(change)).toBe(false);
    await eventually(async () => expect(await sut.isApplied(change)).toBe(true));
  });

  it('forgets the leases that have ended when a gateway begins', async () => {
    await redis.hset(LEASES, { ended: '5 5', running: `5 ${Date.now() + 60_000}` });
    await applyAll('one');
    const fields = Object.keys(await redis.hgetall(LEASES));
    expect(fields.toSorted()).toEqual(['last', 'one', 'running', 'since']);
  });

  it('never gives a number twice, also after a loss of its data', async () => {
    const numbers: number[] = [];
    for (let change = 0; change < 20; change += 1) {
      numbers.push(Number(await sut.publishChange([change])));
      if (change % 3 === 0) await redis.flushdb();
    }
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, two) => one - two));
  });

  const gateway = fc.constantFrom('a', 'b', 'c');
  const users = fc.uniqueArray(fc.nat({ max: 5 }));
  const step = fc.oneof(
    fc.record({ kind: fc.constant('publish' as const), users }),
    fc.record({ kind: fc.constant('renew' as const), gateway }),
    fc.record({ kind: fc.constant('release' as const), gateway }),
  );

  it('returns every change to each gateway, in any order of changes and renewals', async () => {
    const all = fc.array(step, { minLength: 10, maxLength: 40 });
    const property = fc.asyncProperty(all, async (steps) => {
      await redis.flushdb();
      const gateways = new Map<string, FollowingGateway>();
      const following = (name: string): FollowingGateway => {
        const known = gateways.get(name) ?? new FollowingGateway(name, sut);
        gateways.set(name, known);
        return known;
      };
      for (const one of steps) {
        if (one.kind === 'renew') await following(one.gateway).renew();
        else if (one.kind === 'release') await following(one.gateway).release();
        else {
          await sut.publishChange(one.users);
          for (const each of gateways.values()) each.miss(one.users);
        }
      }
    });
    await fc.assert(property);
  });
});

/** Renews the lease of a gateway, and expects each renewal to list the changes since the previous one. */
class FollowingGateway {
  readonly #missed = new Set<number>();
  #applied = '';
  #hasLease = false;

  constructor(
    private readonly name: string,
    private readonly leases: SignInLeaseStore,
  ) {}

  miss(userIds: readonly number[]): void {
    for (const userId of userIds) this.#missed.add(userId);
  }

  async renew(): Promise<void> {
    const renewal = await this.leases.renew(this.name, this.#applied);
    if (renewal.isRenewed) {
      expect([...this.#missed]).toEqual([]);
      this.#hasLease = true;
      return;
    }
    const { changed, last } = renewal;
    if (this.#hasLease) expect(changed?.toSorted()).toEqual([...this.#missed].toSorted());
    else expect(changed).toBeNull();
    this.#missed.clear();
    this.#applied = last;
  }

  async release(): Promise<void> {
    await this.leases.release(this.name);
    this.#hasLease = false;
  }
}
