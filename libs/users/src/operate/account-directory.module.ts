import { Module } from '@nestjs/common';
import { AccountDirectoryRepository } from './account-directory.repository.js';
import { FindAccounts } from './find-accounts.js';

/** Finds accounts for an operator; needs DatabaseModule. */
@Module({ providers: [AccountDirectoryRepository, FindAccounts], exports: [FindAccounts] })
export class AccountDirectoryModule {}
