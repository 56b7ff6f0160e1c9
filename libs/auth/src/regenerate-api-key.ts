import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { AccountRepository } from './account.repository.js';
import { generateApiKey, hashApiKey, sealApiKey } from './api-key.js';
import { AuthVersionStore } from './auth-versions.store.js';
import { API_KEY_SECRET } from './fetch-api-key.js';

/** A logout that was promised in the outbox, to be hurried along. */
export interface PromisedLogout {
  readonly outboxId: string;
  readonly userId: number;
  readonly keyGeneration: number;
}

/** Gets a promised logout done soon; the outbox sees to it that it is done at all. */
export interface LogoutHurrier {
  hurry(logout: PromisedLogout): Promise<void>;
}

/** DI token of the program's LogoutHurrier. */
export const LOGOUT_HURRIER = Symbol('LogoutHurrier');

/**
 * Replaces the caller's API key. When it resolves, every gateway refuses the old key and no device
 * that was registered with it is sent anything; the devices themselves are removed soon after.
 *
 * While Redis is away no gateway trusts its cache, and the outbox makes up for the raise that failed.
 */
@Injectable()
export class RegenerateApiKey {
  private readonly logger = new Logger(RegenerateApiKey.name);

  constructor(
    private readonly accounts: AccountRepository,
    private readonly versions: AuthVersionStore,
    @Inject(LOGOUT_HURRIER) private readonly logouts: LogoutHurrier,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
  ) {}

  /** Resolves with the new key; rejects with ApiError when the key that signed in is no longer the key. */
  async execute(caller: Caller): Promise<string> {
    const apiKey = generateApiKey();
    const replaced = await this.accounts.replaceKey(caller.userId, caller.keyGeneration, {
      hash: hashApiKey(apiKey),
      sealed: sealApiKey(apiKey, this.secret),
    });
    if (replaced === null) throw new ApiError('invalidApiKey');
    const { outboxId, keyGeneration, authVersion } = replaced;
    await this.versions.raise(caller.userId, authVersion);
    await this.#hurry({ outboxId, userId: caller.userId, keyGeneration });
    return apiKey;
  }

  /** The key has changed: whatever fails from here on, the caller must be told the new one. */
  async #hurry(logout: PromisedLogout): Promise<void> {
    try {
      await this.logouts.hurry(logout);
    } catch (error) {
      this.logger.warn(`A logout is left to the outbox: ${String(error)}`);
    }
  }
}
