import { Inject, Injectable } from '@nestjs/common';
import { LuaScript, REDIS, type Redis, type Topic } from '#platform/redis';
import { z } from 'zod';

/**
 * The time for which a gateway may use the authentication versions in its memory. A change of a sign-in waits for at most
 * this time, when a gateway has died or does not answer.
 */
export const LEASE_MS = 1000;

/** A message without content: gateways renew their leases at once. Without it a change waits for their next renewals. */
export const signInChanges: Topic<unknown> = {
  name: 'carillon:auth:changes',
  source: 'sign-in-change',
  schema: z.unknown(),
};

const LEASES = 'auth:{leases}';
const KEYS = [LEASES, 'auth:{leases}:changes'];

const renewLease = new LuaScript(import.meta.url, './renew-lease.lua');
const publishChange = new LuaScript(import.meta.url, './publish-change.lua');
const isApplied = new LuaScript(import.meta.url, './is-applied.lua');

const renewal = z.union([
  z.tuple([z.string(), z.literal(1)]),
  z.tuple([z.string(), z.literal(0)]),
  z.tuple([z.string(), z.literal(0), z.array(z.coerce.number())]),
]);

/** The number of a change of sign-ins. */
export type ChangeNumber = string;

/** The result of a request for a lease. Without a lease, the gateway has to apply changes first. */
export type Renewal =
  | { readonly isRenewed: true }
  | {
      readonly isRenewed: false;
      readonly last: ChangeNumber;
      /** The accounts that have changed since the gateway's last change; null if all may have changed. */
      readonly changed: readonly number[] | null;
    };

/**
 * The changes of sign-ins, and the leases of the gateways, in Redis. A gateway has a lease only while it has applied all
 * changes. Each method is one round trip, and rejects while Redis is down.
 */
@Injectable()
export class SignInLeaseStore {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Requests a lease of LEASE_MS; `applied` is the last change that the gateway has applied, or empty. */
  async renew(gateway: string, applied: ChangeNumber): Promise<Renewal> {
    const args = [gateway, applied, String(LEASE_MS)];
    const [last, isRenewed, changed] = renewal.parse(await renewLease.run(this.redis, KEYS, args));
    return isRenewed === 1
      ? { isRenewed: true }
      : { isRenewed: false, last, changed: changed ?? null };
  }

  /** Ends the lease of a gateway. */
  async release(gateway: string): Promise<void> {
    await this.redis.hdel(LEASES, gateway);
  }

  /** Numbers and publishes a change of the sign-ins of accounts. From now on, a gateway needs it for a lease. */
  async publishChange(userIds: readonly number[]): Promise<ChangeNumber> {
    const args = [signInChanges.name, String(LEASE_MS), ...userIds.map(String)];
    return z.string().parse(await publishChange.run(this.redis, KEYS, args));
  }

  /** Whether every gateway with a lease has applied a change. */
  async isApplied(change: ChangeNumber): Promise<boolean> {
    return (await isApplied.run(this.redis, [LEASES], [change, String(LEASE_MS)])) === 1;
  }
}
