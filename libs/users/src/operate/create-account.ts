import { Injectable } from '@nestjs/common';
import { type AddedAccount, AddAccount } from '../new-account/add-account.js';
import { NewAccountRepository } from '../new-account/new-account.repository.js';

/** A person who is to have an account. */
export interface NewPerson {
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
  /** Null for one that only the API key signs in. */
  readonly password: string | null;
}

/** Makes an account for somebody, for an operator: also the first owner of an organisation. */
@Injectable()
export class CreateAccount {
  constructor(
    private readonly accounts: NewAccountRepository,
    private readonly addAccount: AddAccount,
  ) {}

  /**
   * Asks for no permission, but for all that the organisation demands of accounts: rejects with ApiError as
   * AddAccount does.
   */
  async execute(realmId: number, person: NewPerson): Promise<AddedAccount> {
    const policy = await this.accounts.policyOf(realmId);
    return this.addAccount.execute(realmId, policy, { ...person, botOwnerId: null });
  }
}
