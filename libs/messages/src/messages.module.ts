import { Module } from '@nestjs/common';
import { ChannelsModule } from '#channels';
import { UserGroupsModule } from '#user-groups';
import { UsersModule } from '#users';
import { AccessMessage } from './access-message.js';
import { AddressChannel } from './address-channel.js';
import { AddressPeople } from './address-people.js';
import { CheckFileAccess } from './check-file-access.js';
import { CheckMentions } from './check-mentions.js';
import { ComposeMessage } from './compose-message.js';
import { DeliverMessage } from './deliver-message.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DestinationRepository } from './destination.repository.js';
import { FetchMessage } from './fetch-message.js';
import { LinkedFileRepository } from './linked-file.repository.js';
import { MarkChannelAsRead } from './mark-channel-as-read.js';
import { MentionRepository } from './mention.repository.js';
import { MessageFlagRepository } from './message-flag.repository.js';
import { MessageRepository } from './message.repository.js';
import { SendMessage } from './send-message.js';
import { StoreMessage } from './store-message.js';
import { UpdateMessageFlags } from './update-message-flags.js';

/** What other parts of the server do with messages. */
const useCases = [
  AccessMessage,
  CheckFileAccess,
  DeliverMessage,
  FetchMessage,
  MarkChannelAsRead,
  SendMessage,
  UpdateMessageFlags,
];

/** Messages: sending, reading, what is read. */
@Module({
  imports: [ChannelsModule, UserGroupsModule, UsersModule],
  providers: [
    ...useCases,
    AddressChannel,
    AddressPeople,
    CheckMentions,
    ComposeMessage,
    DeliveryRepository,
    DestinationRepository,
    LinkedFileRepository,
    MentionRepository,
    MessageFlagRepository,
    MessageRepository,
    StoreMessage,
  ],
  exports: useCases,
})
export class MessagesModule {}
