import { Injectable } from '@nestjs/common';
import { AccountRepository, hashPassword } from '#directory/auth';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { isStrongPassword } from '../new-account/password-strength.js';
import { userErrors } from '../users.errors.js';
import type { DirectoryAccount } from './account-directory.repository.js';

/** Replaces passwords for an operator, without a check of permissions. */
@Injectable()
export class PasswordOperatorService {
  constructor(private readonly accounts: AccountRepository) {}

  /** Replaces the password of a person; the API key stays valid. Rejects with ApiError for a weak password. */
  async replace(
    transaction: Transaction,
    { id, deliveryEmail, fullName }: DirectoryAccount,
    password: string,
  ): Promise<void> {
    if (!(await isStrongPassword(password, [deliveryEmail, fullName]))) {
      throw new ApiError(userErrors.weakPassword);
    }
    await this.accounts.replacePassword(transaction, id, await hashPassword(password));
  }
}
