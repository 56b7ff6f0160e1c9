import { Injectable } from '@nestjs/common';
import { AccountCreator, type AccountWithKey } from '../new-account/account-creator.js';
import { NewAccountRepository } from '../new-account/new-account.repository.js';
import type { DirectoryAccount } from './account-directory.repository.js';

/** The data of a person's account. */
interface NewPerson {
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
  /** Null for an account that signs in only by its API key. */
  readonly password: string | null;
}

/** Creates accounts for an operator, without a check of permissions. */
@Injectable()
export class AccountOperatorService {
  constructor(
    private readonly accounts: NewAccountRepository,
    private readonly creator: AccountCreator,
  ) {}

  /**
   * Creates an account for a person, for example the first owner of an organisation. The policy of the organisation
   * applies: rejects with ApiError as AccountCreator does.
   */
  async createUser(realmId: number, person: NewPerson): Promise<AccountWithKey> {
    const policy = await this.accounts.policyOf(realmId);
    return this.creator.create(realmId, policy, { ...person, botOwnerId: null });
  }

  /**
   * Creates a bot in the organisation of its owner, a person. A bot has no password and no
   * subscriptions. Rejects with ApiError as AccountCreator does.
   */
  async createBot(
    owner: DirectoryAccount,
    bot: { readonly email: string; readonly fullName: string; readonly role: number },
  ): Promise<AccountWithKey> {
    const policy = await this.accounts.policyOf(owner.realm.id);
    const input = { ...bot, password: null, botOwnerId: owner.id };
    return this.creator.create(owner.realm.id, policy, input);
  }
}
