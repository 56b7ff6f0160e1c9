import { type DynamicModule, Module } from '@nestjs/common';
import { API_KEY_SECRET } from '#directory/auth';
import { AccountCreator } from '../new-account/account-creator.js';
import { DisposableDomains } from '../new-account/disposable-domains.js';
import { NewAccountRepository } from '../new-account/new-account.repository.js';
import { PasswordStrength } from '../new-account/password-strength.js';
import { AccountDirectoryRepository } from './account-directory.repository.js';
import { AccountDirectoryService } from './account-directory.service.js';
import { AccountOperatorService } from './account-operator.service.js';

/** Finds accounts for an operator; needs DatabaseModule. */
@Module({
  providers: [AccountDirectoryRepository, AccountDirectoryService],
  exports: [AccountDirectoryService],
})
export class AccountDirectoryModule {}

/** Creates accounts for an operator; needs DatabaseModule and a NewAccountHook. */
@Module({})
export class UserOperatorModule {
  static with(options: { readonly apiKeySecret: Buffer }): DynamicModule {
    return {
      module: UserOperatorModule,
      providers: [
        AccountCreator,
        AccountOperatorService,
        DisposableDomains,
        NewAccountRepository,
        PasswordStrength,
        { provide: API_KEY_SECRET, useValue: options.apiKeySecret },
      ],
      exports: [AccountOperatorService],
    };
  }
}
