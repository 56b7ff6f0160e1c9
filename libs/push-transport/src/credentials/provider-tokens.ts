import type { Clock } from '#core';
import type { Redis } from '#redis';
import type { ProviderTokenSource } from '../apns/apns-credential.js';
import { digestOf } from './credential-check.rules.js';
import { ProviderTokenStore, type SigningKey } from './provider-token.store.js';

/** The provider tokens of this process: one source for each key, whichever environments it is used in. */
export class ProviderTokens {
  readonly #sources = new Map<string, ProviderTokenSource>();

  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock,
  ) {}

  /** Throws when the key is none. */
  of({ key, keyId, teamId }: SigningKey): ProviderTokenSource {
    const id = digestOf([key, keyId, teamId]);
    const source =
      this.#sources.get(id) ??
      new ProviderTokenStore(this.redis, { key, keyId, teamId }, this.clock);
    this.#sources.set(id, source);
    return source;
  }
}
