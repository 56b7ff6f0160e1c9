import { generateApiKey, hashApiKey } from '#directory/auth';
import type { BenchWorldRepository } from './bench-world.repository.js';

/** The host name of the server; the host name of an organisation is a subdomain of it. */
export const EXTERNAL_HOST = 'bench.carillon.test';
export const APP_ID = 'org.carillon.bench';

/** An account with its credentials. */
export interface BenchUser {
  readonly userId: number;
  readonly email: string;
  readonly apiKey: string;
}

/** An organisation of the bench. Each scenario has its own, so that scenarios do not affect each other. */
export interface BenchRealm {
  readonly id: number;
  /** The `Host` header of the organisation. */
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
