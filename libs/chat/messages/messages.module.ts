import { Module } from '@nestjs/common';
import { AttachmentsModule } from '#chat/attachments';
import { ChannelsModule } from '#chat/channels';
import { UserGroupsModule } from '#directory/groups';
import { VisibleUsersRepository } from '#directory/guest-access';
import { UsersModule } from '#directory/users';
import { EventLogModule } from '#events/log';
import { IdempotencyModule } from '#platform/idempotency';
import { MentionRepository } from './composing/mention.repository.js';
import { MessageComposer } from './composing/message-composer.js';
import { MessageStateRepository } from './events/message-state.repository.js';
import { MessageFlagRepository } from './flags/message-flag.repository.js';
import { MessageFlagsService } from './flags/message-flags.service.js';
import { ReadMessagesRepository } from './flags/read-messages.repository.js';
import { ReadMessagesService } from './flags/read-messages.service.js';
import { MessageEvents } from './messages.events.js';
import { MessagesService } from './messages.service.js';
import { GuestIdentityFilter } from './reading/guest-identity-filter.js';
import { LinkedFileRepository } from './reading/linked-file.repository.js';
import { MessageAccess } from './reading/message-access.js';
import { MessageRepository } from './reading/message.repository.js';
import { DestinationResolver } from './sending/destination-resolver.js';
import { DestinationRepository } from './sending/destination.repository.js';
import { MessagePublisher } from './sending/message-publisher.js';
import { MessageSender } from './sending/message-sender.js';
import { MessageStore } from './sending/message-store.js';
import { NewMessageRepository } from './sending/new-message.repository.js';

const services = [
  MessageAccess,
  MessageFlagsService,
  MessageSender,
  MessagesService,
  ReadMessagesService,
];

/** Sends and reads messages. Needs AuthModule, DatabaseModule and a global MESSAGE_NOTIFIER. */
@Module({
  imports: [
    AttachmentsModule,
    ChannelsModule,
    EventLogModule,
    IdempotencyModule,
    UserGroupsModule,
    UsersModule,
  ],
  providers: [
    ...services,
    DestinationResolver,
    MessageComposer,
    NewMessageRepository,
    DestinationRepository,
    GuestIdentityFilter,
    LinkedFileRepository,
    MentionRepository,
    MessageEvents,
    MessageFlagRepository,
    MessagePublisher,
    MessageStateRepository,
    ReadMessagesRepository,
    MessageRepository,
    MessageStore,
    VisibleUsersRepository,
  ],
  exports: services,
})
export class MessagesModule {}
