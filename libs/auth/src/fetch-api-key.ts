import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError } from '#contracts';
import { errorText } from '#core';
import { RateLimits } from '#rate-limits';
import { RealmRepository } from '#realms';
import { AccountRepository, type PasswordAccount } from './account.repository.js';
import { openSealedApiKey } from './api-key.js';
import { isPassword } from './password.js';

/** DI token of the secret under which API keys are stored. */
export const API_KEY_SECRET = Symbol('ApiKeySecret');

export interface FetchedApiKey {
  readonly userId: number;
  readonly deliveryEmail: string;
  readonly apiKey: string;
}

/** Gives the API key of an account to who knows its password. */
@Injectable()
export class FetchApiKey {
  readonly #logger = new Logger(FetchApiKey.name);

  constructor(
    private readonly realms: RealmRepository,
    private readonly accounts: AccountRepository,
    private readonly limits: RateLimits,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
  ) {}

  /**
   * Rejects with ApiError: no such organisation, it or the account is deactivated, wrong user name or
   * password (which of the two is not told), too many failures for this user name, or a key that was sealed under
   * another secret or for another account.
   */
  async execute(
    subdomain: string | null,
    username: string,
    password: string,
  ): Promise<FetchedApiKey> {
    const realm = subdomain === null ? null : await this.realms.findBySubdomain(subdomain);
    if (realm === null) throw new ApiError('unknownSubdomain');
    if (realm.isDeactivated) throw new ApiError('signInRealmDeactivated');
    const email = username.trim().toLowerCase();
    const tries = `${realm.id}:${email}`;
    await this.limits.charge('sign-in', tries);
    const account = await this.accounts.findForPassword(realm.id, email);
    const matches = await isPassword(password, account?.passwordHash ?? null);
    if (account === null || !matches) throw new ApiError('wrongPassword');
    await this.limits.forgive('sign-in', tries);
    if (!account.isActive) throw new ApiError('userDeactivated');
    const { userId, deliveryEmail } = account;
    return { userId, deliveryEmail, apiKey: this.#open(account) };
  }

  #open(account: PasswordAccount): string {
    try {
      return openSealedApiKey(account, this.secret);
    } catch (error) {
      this.#logger.error(
        `The API key of account ${account.userId} cannot be given out: ${errorText(error)}`,
      );
      throw new ApiError('apiKeyUnavailable');
    }
  }
}
