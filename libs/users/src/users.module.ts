import { Module } from '@nestjs/common';
import { VisibleUsersRepository } from '#guest-access';
import { UserGroupsModule } from '#user-groups';
import { AccessUser } from './access-user.js';
import { AccountChangeRepository } from './account-change.repository.js';
import { ActivationRepository } from './activation/activation.repository.js';
import { DeactivateUser } from './activation/deactivate-user.js';
import { ReactivateUser } from './activation/reactivate-user.js';
import { AdministerUser } from './administer-user.js';
import { ChangeAccount } from './change-account.js';
import { FindUser } from './find-user.js';
import { ListUsers } from './list-users.js';
import { AddAccount } from './new-account/add-account.js';
import { CreateUser } from './new-account/create-user.js';
import { DisposableDomains } from './new-account/disposable-domains.js';
import { NewAccountRepository } from './new-account/new-account.repository.js';
import { PasswordStrength } from './new-account/password-strength.js';
import { SystemBotRepository } from './system-bots/system-bot.repository.js';
import { SystemBots } from './system-bots/system-bots.js';
import { UserRepository } from './user.repository.js';

/** The accounts of an organisation; needs AuthModule and DatabaseModule. */
@Module({
  imports: [UserGroupsModule],
  providers: [
    AccessUser,
    AccountChangeRepository,
    ActivationRepository,
    AddAccount,
    AdministerUser,
    ChangeAccount,
    CreateUser,
    DeactivateUser,
    DisposableDomains,
    FindUser,
    ListUsers,
    NewAccountRepository,
    PasswordStrength,
    ReactivateUser,
    SystemBotRepository,
    SystemBots,
    UserRepository,
    VisibleUsersRepository,
  ],
  exports: [
    AccessUser,
    AdministerUser,
    ChangeAccount,
    CreateUser,
    DeactivateUser,
    FindUser,
    ListUsers,
    ReactivateUser,
    SystemBots,
    UserRepository,
  ],
})
export class UsersModule {}
