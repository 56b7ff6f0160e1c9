import { Inject, Injectable } from '@nestjs/common';
import { EventLog, signedOut } from '#events/log';
import { ApiError, type Caller, signInErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { AccountRepository, type KeyReplacement } from './account.repository.js';
import { generateApiKey, hashApiKey, sealApiKey } from './api-key.js';
import { AuthVersionStore } from './auth-versions.store.js';

/** DI token of the secret that encrypts stored API keys. */
export const API_KEY_SECRET = Symbol('ApiKeySecret');

/** The outbox entry that logs out the devices of an account's older keys. */
export interface LogoutOutboxEntry {
  readonly outboxId: string;
  readonly userId: number;
  readonly keyGeneration: number;
}

/** Immediately stops deliveries to devices. */
export interface DeviceRevoker {
  /** To the devices of an account's older keys. Never rejects: the outbox entry retries a failure. */
  revoke(logout: LogoutOutboxEntry): Promise<void>;
  /** To all devices of accounts whose deactivation is committed. Never rejects. */
  stopDeliveries(userIds: readonly number[]): Promise<void>;
}

/** DI token of the program's DeviceRevoker. */
export const DEVICE_REVOKER = Symbol('DeviceRevoker');

/** An account whose key is replaced. */
interface KeyOwner {
  readonly userId: number;
  readonly realmId: number;
  /** The generation of the key of the sign-in; null: the present one. */
  readonly keyGeneration: number | null;
}

/** The API keys of accounts. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly database: Database,
    private readonly log: EventLog,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
    private readonly versions: AuthVersionStore,
    @Inject(DEVICE_REVOKER) private readonly devices: DeviceRevoker,
  ) {}

  /**
   * Replaces the caller's API key and resolves with the new one. From then on, every gateway rejects the old key, and
   * devices registered with it receive nothing; they are removed soon after. Held polls of the account end. Rejects with
   * ApiError when the key of the sign-in has already been replaced.
   */
  async regenerate(caller: Caller): Promise<string> {
    const { userId, keyGeneration, realm } = caller;
    const owner = { userId, realmId: realm.id, keyGeneration };
    const key = await this.database.transaction((transaction) => this.replace(transaction, owner));
    if (key === null) throw new ApiError(signInErrors.invalidApiKey);
    return key;
  }

  /**
   * Replaces the key of an account, publishes this after the commit, and resolves with the new key, which is never logged.
   * Null, and nothing is changed, when the key of the sign-in has already been replaced or the account is deactivated.
   */
  async replace(transaction: Transaction, owner: KeyOwner): Promise<string | null> {
    const { userId, realmId, keyGeneration } = owner;
    const apiKey = generateApiKey();
    const next = { hash: hashApiKey(apiKey), sealed: sealApiKey(apiKey, this.secret) };
    const replaced = await this.accounts.replaceKey(userId, keyGeneration, next, transaction);
    if (replaced === null) return null;
    const signOut = { reason: 'key', keyGeneration: replaced.keyGeneration - 1 } as const;
    this.log.append(transaction, signedOut(realmId, userId, signOut));
    transaction.afterCommit(() => this.#publish(userId, replaced));
    return apiKey;
  }

  /** Resolves when every gateway rejects the old key and its devices receive nothing. Never rejects. */
  async #publish(
    userId: number,
    { outboxId, keyGeneration, authVersion }: KeyReplacement,
  ): Promise<void> {
    await this.versions.raiseAll([{ userId, version: authVersion }]);
    await this.devices.revoke({ outboxId, userId, keyGeneration });
  }
}
