import type { Redis } from '#platform/redis';

/** As long as the push service accepts a secret. */
const KEPT_SECONDS = 10;

const keyOf = (accessToken: string): string => `push-service:transfer:${accessToken}`;

/** Stores the secrets that prove to the push service that this server has its host, for all gateways. */
export class TransferSecrets {
  constructor(private readonly redis: Pick<Redis, 'get' | 'set'>) {}

  /** Rejects when Redis is down. */
  async put(accessToken: string, secret: string): Promise<void> {
    await this.redis.set(keyOf(accessToken), secret, 'EX', KEPT_SECONDS);
  }

  /** Null without a secret for this token. Rejects when Redis is down. */
  get(accessToken: string): Promise<string | null> {
    return this.redis.get(keyOf(accessToken));
  }
}
