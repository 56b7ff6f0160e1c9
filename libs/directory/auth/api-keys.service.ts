import { Inject, Injectable, Logger } from '@nestjs/common';
import { RealmRepository } from '#directory/realms';
import { ApiError, type Caller, signInErrors } from '#platform/contracts';
import { errorText } from '#platform/core';
import { RateLimits } from '#platform/rate-limits';
import { AccountRepository, type PasswordAccount } from './account.repository.js';
import { generateApiKey, hashApiKey, openSealedApiKey, sealApiKey } from './api-key.js';
import { AuthVersionStore } from './auth-versions.store.js';
import { isPassword } from './password.js';

/** DI token of the secret that encrypts stored API keys. */
export const API_KEY_SECRET = Symbol('ApiKeySecret');

export interface FetchedApiKey {
  readonly userId: number;
  readonly deliveryEmail: string;
  readonly apiKey: string;
}

/** The outbox entry that logs out the devices of an account's older keys. */
export interface LogoutOutboxEntry {
  readonly outboxId: string;
  readonly userId: number;
  readonly keyGeneration: number;
}

/** Immediately stops deliveries to the devices of an account's older keys; the outbox entry retries a failure. */
export interface DeviceRevoker {
  revoke(logout: LogoutOutboxEntry): Promise<void>;
}

/** DI token of the program's DeviceRevoker. */
export const DEVICE_REVOKER = Symbol('DeviceRevoker');

/** The API keys of accounts. */
@Injectable()
export class ApiKeysService {
  readonly #logger = new Logger(ApiKeysService.name);

  constructor(
    private readonly realms: RealmRepository,
    private readonly accounts: AccountRepository,
    private readonly limits: RateLimits,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
    private readonly versions: AuthVersionStore,
    @Inject(DEVICE_REVOKER) private readonly devices: DeviceRevoker,
  ) {}

  /**
   * The API key of an account, by its password. Rejects with ApiError for an unknown or deactivated organisation, a
   * deactivated account, a wrong user name or password (the same error for both), too many failures for the user name,
   * and a key that cannot be decrypted or belongs to another account.
   */
  async fetch(
    subdomain: string | null,
    username: string,
    password: string,
  ): Promise<FetchedApiKey> {
    const realm = subdomain === null ? null : await this.realms.findBySubdomain(subdomain);
    if (realm === null) throw new ApiError(signInErrors.unknownSubdomain);
    if (realm.isDeactivated) throw new ApiError(signInErrors.signInRealmDeactivated);
    const email = username.trim().toLowerCase();
    const limitKey = `${realm.id}:${email}`;
    await this.limits.charge('sign-in', limitKey);
    const account = await this.accounts.findForPassword(realm.id, email);
    const matches = await isPassword(password, account?.passwordHash ?? null);
    if (account === null || !matches) throw new ApiError(signInErrors.wrongPassword);
    await this.limits.forgive('sign-in', limitKey);
    if (!account.isActive) throw new ApiError(signInErrors.userDeactivated);
    const { userId, deliveryEmail } = account;
    return { userId, deliveryEmail, apiKey: this.#open(account) };
  }

  #open(account: PasswordAccount): string {
    try {
      return openSealedApiKey(account, this.secret);
    } catch (error) {
      this.#logger.error(
        `The API key of account ${account.userId} cannot be decrypted: ${errorText(error)}`,
      );
      throw new ApiError(signInErrors.apiKeyUnavailable);
    }
  }

  /**
   * Replaces the caller's API key and resolves with the new one. From then on, every gateway rejects the old key, and
   * devices registered with it receive nothing; they are removed soon after. During an outage of Redis no gateway uses
   * its cache, and the outbox retries the raise of the version. Rejects with ApiError when the key of the sign-in has
   * already been replaced.
   */
  async regenerate(caller: Caller): Promise<string> {
    const apiKey = generateApiKey();
    const replaced = await this.accounts.replaceKey(caller.userId, caller.keyGeneration, {
      hash: hashApiKey(apiKey),
      sealed: sealApiKey(apiKey, this.secret),
    });
    if (replaced === null) throw new ApiError(signInErrors.invalidApiKey);
    const { outboxId, keyGeneration, authVersion } = replaced;
    await this.versions.raise(caller.userId, authVersion);
    await this.#revoke({ outboxId, userId: caller.userId, keyGeneration });
    return apiKey;
  }

  /** Never rejects: the key has changed, so the caller must receive the new one. */
  async #revoke(logout: LogoutOutboxEntry): Promise<void> {
    try {
      await this.devices.revoke(logout);
    } catch (error) {
      this.#logger.warn(`A logout failed, the outbox will retry it: ${String(error)}`);
    }
  }
}
