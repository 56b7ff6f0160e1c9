import { generateApiKey, hashApiKey } from '#auth';
import type { BenchWorldRepository } from './bench-world.repository.js';

/** The name under which clients of the bench know the server; organisations are labels before it. */
export const EXTERNAL_HOST = 'bench.carillon.test';
export const APP_ID = 'org.carillon.bench';

/** An account and what it signs in with. */
export interface BenchUser {
  readonly userId: number;
  readonly email: string;
  readonly apiKey: string;
}

/** An organisation of the bench: each scenario has its own, so that none disturbs another. */
export interface BenchRealm {
  readonly id: number;
  /** The `Host` header that names it. */
  readonly host: string;
  readonly users: readonly BenchUser[];
}

export async function createRealm(
  world: BenchWorldRepository,
  subdomain: string,
  userCount: number,
): Promise<BenchRealm> {
  const accounts = Array.from({ length: userCount }, (_, index) => ({
    email: `user${index}@${subdomain}.${EXTERNAL_HOST}`,
    apiKey: generateApiKey(),
  }));
  const id = await world.createRealm(subdomain);
  const ids = await world.createUsers(
    id,
    accounts.map(({ email, apiKey }) => ({ email, apiKeyHash: hashApiKey(apiKey) })),
  );
  const users = accounts.map((account) => ({ userId: ids.get(account.email) ?? 0, ...account }));
  return { id, host: `${subdomain}.${EXTERNAL_HOST}`, users };
}
