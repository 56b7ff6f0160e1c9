export type { LockedMessage } from './changing/locked-message.repository.js';
export { LockedMessages } from './changing/locked-messages.js';
export { idsOfReaders, MessageReadersRepository } from './changing/message-readers.repository.js';
export { GroupMentions } from './composing/group-mentions.js';
export { MentionRepository } from './composing/mention.repository.js';
export { fetchErrors } from './fetching/fetch.errors.js';
export { ReadMessagesService } from './flags/read-messages.service.js';
export type { Notice } from './notices/notice.repository.js';
export { Notices, type SendNotices } from './notices/notices.js';
export {
  type MessageEdit,
  MESSAGE_NOTIFIER,
  type MessageNotifier,
  type MovedMessages,
  type NewMessage,
  type ScreenRead,
} from './message-notifier.js';
export { narrowErrors } from './narrows/narrow.errors.js';
export { LeftChannelsModule } from './leaving/left-channels.module.js';
export { type MessageAddress, messagePath, originalMessage } from './message-address.rules.js';
export { messageErrors } from './messages.errors.js';
export { MessagesModule } from './messages.module.js';
export { MessageAccess } from './reading/message-access.js';
export { IS_HISTORY_SHARED } from './reading/readable-messages.js';
export { clientName } from './sending/new-message.rules.js';
export { DestinationResolver } from './sending/destination-resolver.js';
export { type MessageParts, MessageSender, type ServerMessage } from './sending/message-sender.js';
export { MAX_RECORDED as MAX_RECORDED_EDITS } from './editing/message-edit.repository.js';
