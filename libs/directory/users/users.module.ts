import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { GuestAccessModule } from '#directory/guest-access';
import { EventLogModule } from '#events/log';
import { QueuesModule } from '#events/queues';
import { ActivationAnnouncer } from './activation-announcer.js';
import { ActivationRepository } from './activation.repository.js';
import { MessageErasureRepository } from './message-erasure.repository.js';
import { AccountCreator } from './new-account/account-creator.js';
import { NewAccountRepository } from './new-account/new-account.repository.js';
import { UserCreationService } from './new-account/user-creation.service.js';
import { SystemBotRepository } from './system-bots/system-bot.repository.js';
import { SystemBots } from './system-bots/system-bots.js';
import { FIRST_SIGN_IN } from '#directory/auth';
import { FirstSignInService } from './first-sign-in.service.js';
import { UserAccess } from './user-access.js';
import { UserActivationService } from './user-activation.service.js';
import { UserEvents } from './users.events.js';
import { UserRepository } from './user.repository.js';
import { UserRoleRepository } from './user-role.repository.js';
import { UserRolesService } from './user-roles.service.js';
import { UsersService } from './users.service.js';

/**
 * The accounts of an organisation; needs AuthModule, DatabaseModule, LimitsModule, RedisModule, a DeviceRevoker and a
 * NewAccountHook.
 */
@Module({
  imports: [EventLogModule, GuestAccessModule, QueuesModule, UserGroupsModule],
  providers: [
    UserAccess,
    ActivationAnnouncer,
    ActivationRepository,
    { provide: FIRST_SIGN_IN, useClass: FirstSignInService },
    AccountCreator,
    MessageErasureRepository,
    UsersService,
    UserCreationService,
    NewAccountRepository,
    SystemBotRepository,
    SystemBots,
    UserActivationService,
    UserEvents,
    UserRepository,
    UserRoleRepository,
    UserRolesService,
  ],
  exports: [
    FIRST_SIGN_IN,
    MessageErasureRepository,
    UserAccess,
    UserActivationService,
    UserEvents,
    UsersService,
    UserCreationService,
    SystemBots,
    UserRepository,
    UserRolesService,
  ],
})
export class UsersModule {}
