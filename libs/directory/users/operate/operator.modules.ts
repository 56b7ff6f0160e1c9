import { type DynamicModule, Module } from '@nestjs/common';
import { AccountRepository, API_KEY_SECRET } from '#directory/auth';
import { UserGroupsModule } from '#directory/groups';
import { GuestAccessModule } from '#directory/guest-access';
import { EventLogModule } from '#events/log';
import { AccountCreator } from '../new-account/account-creator.js';
import { NewAccountRepository } from '../new-account/new-account.repository.js';
import { UserEvents } from '../users.events.js';
import { AccountDirectoryRepository } from './account-directory.repository.js';
import { AccountDirectoryService } from './account-directory.service.js';
import { AccountOperatorService } from './account-operator.service.js';
import { PasswordOperatorService } from './password-operator.service.js';

/** Finds accounts for an operator; needs DatabaseModule. */
@Module({
  providers: [AccountDirectoryRepository, AccountDirectoryService],
  exports: [AccountDirectoryService],
})
export class AccountDirectoryModule {}

/** Replaces passwords for an operator; needs DatabaseModule. */
@Module({
  providers: [AccountRepository, PasswordOperatorService],
  exports: [PasswordOperatorService],
})
export class PasswordOperatorModule {}

/** Creates accounts for an operator; needs DatabaseModule and a NewAccountHook. */
@Module({})
export class UserOperatorModule {
  static with(options: { readonly apiKeySecret: Buffer }): DynamicModule {
    return {
      module: UserOperatorModule,
      imports: [EventLogModule, GuestAccessModule, UserGroupsModule],
      providers: [
        AccountCreator,
        AccountOperatorService,
        NewAccountRepository,
        UserEvents,
        { provide: API_KEY_SECRET, useValue: options.apiKeySecret },
      ],
      exports: [AccountOperatorService],
    };
  }
}
