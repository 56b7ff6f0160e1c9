import { Module } from '@nestjs/common';
import { AlertWordsModule } from '#chat/alert-words';
import { AttachmentsModule } from '#chat/attachments';
import { ChannelsModule } from '#chat/channels';
import { EmojiNamesModule } from '#chat/emoji-names';
import { LinkifiersModule } from '#chat/linkifiers';
import { UserTopicsModule } from '#chat/user-topics';
import { UserGroupsModule } from '#directory/groups';
import { GuestAccessModule } from '#directory/guest-access';
import { ProfileFieldsModule } from '#directory/profile-fields';
import { UsersModule } from '#directory/users';
import { EventLogModule } from '#events/log';
import { IdempotencyModule } from '#platform/idempotency';
import { FirstMessages } from './changing/first-messages.js';
import { LockedMessageRepository } from './changing/locked-message.repository.js';
import { LockedMessages } from './changing/locked-messages.js';
import { MessageReadersRepository } from './changing/message-readers.repository.js';
import { FirstMessageRepository } from './changing/first-message.repository.js';
import { LinkedTopicRepository } from './composing/linked-topic.repository.js';
import { MentionRepository } from './composing/mention.repository.js';
import { MessageComposer } from './composing/message-composer.js';
import { MessageContext } from './composing/message-context.js';
import { MessagePreparer } from './composing/message-preparer.js';
import { MessageDeleter } from './deleting/message-deleter.js';
import { MessageDeletionEvents } from './deleting/message-deletion.events.js';
import { MessageDeletionRepository } from './deleting/message-deletion.repository.js';
import { MessageDeletionService } from './deleting/message-deletion.service.js';
import { TopicDeletionRepository } from './deleting/topic-deletion.repository.js';
import { TopicDeletionService } from './deleting/topic-deletion.service.js';
import { ContentEditor } from './editing/content-editor.js';
import { EditedContentRepository } from './editing/edited-content.repository.js';
import { MessageChanger } from './editing/message-changer.js';
import { MessageEditEvents } from './editing/message-edit.events.js';
import { MessageEditRepository } from './editing/message-edit.repository.js';
import { MessageEditService } from './editing/message-edit.service.js';
import { MessageMover } from './editing/message-mover.js';
import { MovedReaders } from './editing/moved-readers.js';
import { MovedMessagesRepository } from './editing/moved-messages.repository.js';
import { ErasedMessageRepository } from './erasing/erased-message.repository.js';
import { MessageErasureService } from './erasing/message-erasure.service.js';
import { MessageStateRepository } from './events/message-state.repository.js';
import { MessageFlagRepository } from './flags/message-flag.repository.js';
import { MessageFlagsService } from './flags/message-flags.service.js';
import { ReadMessagesRepository } from './flags/read-messages.repository.js';
import { ReadMessagesService } from './flags/read-messages.service.js';
import { MessageHistoryRepository } from './history/message-history.repository.js';
import { MessageHistoryService } from './history/message-history.service.js';
import { FetchService } from './fetching/fetch.service.js';
import { FetchSlots } from './fetching/fetch-slots.js';
import { HighlightRepository } from './fetching/highlight.repository.js';
import { Highlighter } from './fetching/highlighter.js';
import { MessagePageRepository } from './fetching/message-page.repository.js';
import { MessageEvents } from './messages.events.js';
import { MessagesService } from './messages.service.js';
import { NarrowRepository } from './narrows/narrow.repository.js';
import { NarrowResolver } from './narrows/narrow-resolver.js';
import { PeopleFinder } from './narrows/people-of-narrow.js';
import { NoticeRepository } from './notices/notice.repository.js';
import { Notices } from './notices/notices.js';
import { EarlierChannelRepository } from './reading/earlier-channel.repository.js';
import { GuestIdentityFilter } from './reading/guest-identity-filter.js';
import { HiddenPartsFilter } from './reading/hidden-parts-filter.js';
import { LinkedFileRepository } from './reading/linked-file.repository.js';
import { MessageAccess } from './reading/message-access.js';
import { MessageRepository } from './reading/message.repository.js';
import { ExpiredMessagesRepository } from './retention/expired-messages.repository.js';
import { MessageRetention } from './retention/message-retention.js';
import { DestinationResolver } from './sending/destination-resolver.js';
import { DestinationRepository } from './sending/destination.repository.js';
import { MessagePublisher } from './sending/message-publisher.js';
import { MessageSender } from './sending/message-sender.js';
import { MessageStore } from './sending/message-store.js';
import { NewMessageRepository } from './sending/new-message.repository.js';
import { SubmessageRepository } from './submessages/submessage.repository.js';
import { SubmessageEvents } from './submessages/submessages.events.js';
import { SubmessagesService } from './submessages/submessages.service.js';

const services = [
  DestinationResolver,
  LockedMessages,
  FetchService,
  FetchSlots,
  MessageAccess,
  MessageDeleter,
  MessageDeletionService,
  MessageEditService,
  MessageFlagsService,
  MessageHistoryService,
  MessageReadersRepository,
  MessageSender,
  MessagesService,
  MessageComposer,
  Notices,
  ReadMessagesService,
  SubmessagesService,
  TopicDeletionService,
];

/** Sends and reads messages. Needs AuthModule, DatabaseModule and a global MESSAGE_NOTIFIER. */
@Module({
  imports: [
    AlertWordsModule,
    AttachmentsModule,
    ChannelsModule,
    EmojiNamesModule,
    EventLogModule,
    GuestAccessModule,
    IdempotencyModule,
    LinkifiersModule,
    ProfileFieldsModule,
    UserGroupsModule,
    UsersModule,
    UserTopicsModule,
  ],
  providers: [
    ...services,
    ContentEditor,
    MessageChanger,
    MessageContext,
    NarrowRepository,
    NarrowResolver,
    NewMessageRepository,
    PeopleFinder,
    DestinationRepository,
    EditedContentRepository,
    ErasedMessageRepository,
    ExpiredMessagesRepository,
    FirstMessageRepository,
    FirstMessages,
    EarlierChannelRepository,
    GuestIdentityFilter,
    HiddenPartsFilter,
    LockedMessageRepository,
    HighlightRepository,
    Highlighter,
    LinkedFileRepository,
    LinkedTopicRepository,
    MentionRepository,
    MessageDeletionEvents,
    MessageDeletionRepository,
    MessageEditEvents,
    MessageEditRepository,
    MessageEvents,
    MessageHistoryRepository,
    MessageMover,
    MessageErasureService,
    MessageRetention,
    MessagePreparer,
    MovedMessagesRepository,
    MovedReaders,
    MessageFlagRepository,
    MessagePageRepository,
    MessagePublisher,
    MessageStateRepository,
    NoticeRepository,
    ReadMessagesRepository,
    MessageRepository,
    MessageStore,
    SubmessageEvents,
    SubmessageRepository,
    TopicDeletionRepository,
  ],
  exports: services,
})
export class MessagesModule {}
