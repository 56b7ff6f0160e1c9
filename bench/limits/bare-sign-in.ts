import { timingSafeEqual } from 'node:crypto';
import type { BenchUser } from '../world/bench-world.js';

/** Signs accounts in by HTTP Basic from memory: the least that any server must do. */
export class BareSignIn {
  readonly #accounts: ReadonlyMap<string, { readonly userId: number; readonly key: Buffer }>;

  constructor(users: readonly BenchUser[]) {
    this.#accounts = new Map(
      users.map(({ userId, email, apiKey }) => [email, { userId, key: Buffer.from(apiKey) }]),
    );
  }

  /** The account's id; throws when the credentials are wrong. */
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
