import { Injectable } from '@nestjs/common';
import { type AddedAccount, AddAccount } from '../new-account/add-account.js';
import { NewAccountRepository } from '../new-account/new-account.repository.js';
import type { FoundAccount } from './account-directory.repository.js';

/** A bot that is to be made. */
export interface NewBot {
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
}

/** Makes a bot that belongs to somebody, for an operator. */
@Injectable()
export class CreateBot {
  constructor(
    private readonly accounts: NewAccountRepository,
    private readonly addAccount: AddAccount,
  ) {}

  /**
   * In the organisation of its owner, whom nothing else is asked of than to be a person. A bot has no
   * password and is subscribed to nothing. Rejects with ApiError as AddAccount does.
   */
  async execute(owner: FoundAccount, bot: NewBot): Promise<AddedAccount> {
    const policy = await this.accounts.policyOf(owner.realm.id);
    const wanted = { ...bot, password: null, botOwnerId: owner.id };
    return this.addAccount.execute(owner.realm.id, policy, wanted);
  }
}
