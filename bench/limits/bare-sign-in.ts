import { timingSafeEqual } from 'node:crypto';
import type { BenchUser } from '../world/bench-world.js';

/** HTTP Basic authentication from memory: the minimum for any server. */
export class BareSignIn {
  readonly #accounts: ReadonlyMap<string, { readonly userId: number; readonly key: Buffer }>;

  constructor(users: readonly BenchUser[]) {
    this.#accounts = new Map(
      users.map(({ userId, email, apiKey }) => [email, { userId, key: Buffer.from(apiKey) }]),
    );
  }

  /** The id of the account; throws for wrong credentials. */
  userOf(authorization = ''): number {
    const text = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
    const colon = text.indexOf(':');
    const account = this.#accounts.get(text.slice(0, colon));
    const key = Buffer.from(text.slice(colon + 1));
    if (account?.key.length !== key.length || !timingSafeEqual(account.key, key)) {
      throw new Error('Wrong credentials');
    }
    return account.userId;
  }
}
