import { Inject, Injectable, Logger } from '@nestjs/common';
import { RealmRepository } from '#directory/realms';
import { ApiError, signInErrors } from '#platform/contracts';
import { errorText } from '#platform/core';
import { RateLimits } from '#platform/rate-limits';
import { AccountRepository, type PasswordAccount } from './account.repository.js';
import { openSealedApiKey } from './api-key.js';
import { API_KEY_SECRET } from './api-keys.service.js';
import { isPassword } from './password.js';

/** The API key of an account that has signed in by its password. */
interface SignInKey {
  readonly realmId: number;
  readonly userId: number;
  /** Whether it is the first sign-in by the password of an account that somebody else has made. */
  readonly isFirst: boolean;
  readonly deliveryEmail: string;
  readonly apiKey: string;
}

/** Signs accounts in by their passwords. */
@Injectable()
export class PasswordSignInService {
  readonly #logger = new Logger(PasswordSignInService.name);

  constructor(
    private readonly realms: RealmRepository,
    private readonly accounts: AccountRepository,
    private readonly limits: RateLimits,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
  ) {}

  /**
   * The API key of an account, by its password. Rejects with ApiError for an unknown or deactivated organisation, a
   * deactivated account, a wrong user name or password (the same error for both), too many failures for the user name,
   * and a key that cannot be decrypted or belongs to another account.
   */
  async fetch(subdomain: string | null, username: string, password: string): Promise<SignInKey> {
    const realm = subdomain === null ? null : await this.realms.findBySubdomain(subdomain);
    if (realm === null) throw new ApiError(signInErrors.unknownSubdomain);
    if (realm.isDeactivated) throw new ApiError(signInErrors.signInRealmDeactivated);
    const email = username.trim().toLowerCase();
    const limitKey = `${realm.id}:${email}`;
    await this.limits.charge('sign-in', limitKey);
    const account = await this.accounts.findForPassword(realm.id, email);
    const matches = await isPassword(password, account?.passwordHash ?? null);
    if (account === null || !matches) throw new ApiError(signInErrors.wrongPassword);
    await this.limits.reset('sign-in', limitKey);
    if (!account.isActive) throw new ApiError(signInErrors.userDeactivated);
    const { userId, deliveryEmail, awaitsSignIn: isFirst } = account;
    const apiKey = this.#open(account);
    return { realmId: realm.id, userId, isFirst, deliveryEmail, apiKey };
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
}
