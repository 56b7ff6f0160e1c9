import { Module } from '@nestjs/common';
import { ChannelsModule } from '#channels';
import { VisibleUsersRepository } from '#guest-access';
import { IdempotencyModule } from '#idempotency';
import { UserGroupsModule } from '#user-groups';
import { UsersModule } from '#users';
import { CheckMentions } from './composing/check-mentions.js';
import { ComposeMessage } from './composing/compose-message.js';
import { MentionRepository } from './composing/mention.repository.js';
import { MarkChannelAsRead } from './flags/mark-channel-as-read.js';
import { MessageFlagRepository } from './flags/message-flag.repository.js';
import { ReadMessagesRepository } from './flags/read-messages.repository.js';
import { UpdateMessageFlags } from './flags/update-message-flags.js';
import { AccessMessage } from './reading/access-message.js';
import { CheckFileAccess } from './reading/check-file-access.js';
import { FetchMessage } from './reading/fetch-message.js';
import { HidePeople } from './reading/hide-people.js';
import { LinkedFileRepository } from './reading/linked-file.repository.js';
import { MessageRepository } from './reading/message.repository.js';
import { AddressChannel } from './sending/address-channel.js';
import { AddressPeople } from './sending/address-people.js';
import { DeliverMessage } from './sending/deliver-message.js';
import { DeliveryRepository } from './sending/delivery.repository.js';
import { DestinationRepository } from './sending/destination.repository.js';
import { SendMessage } from './sending/send-message.js';
import { StoreMessage } from './sending/store-message.js';

/** What other parts of the server do with messages. */
const useCases = [
  AccessMessage,
  CheckFileAccess,
  DeliverMessage,
  FetchMessage,
  MarkChannelAsRead,
  ReadMessagesRepository,
  SendMessage,
  UpdateMessageFlags,
];

/** Messages: sending, reading, what is read. Needs AuthModule, DatabaseModule and a MESSAGE_NOTIFIER that is there for all. */
@Module({
  imports: [ChannelsModule, IdempotencyModule, UserGroupsModule, UsersModule],
  providers: [
    ...useCases,
    AddressChannel,
    AddressPeople,
    CheckMentions,
    ComposeMessage,
    DeliveryRepository,
    DestinationRepository,
    HidePeople,
    LinkedFileRepository,
    MentionRepository,
    MessageFlagRepository,
    MessageRepository,
    StoreMessage,
    VisibleUsersRepository,
  ],
  exports: useCases,
})
export class MessagesModule {}
