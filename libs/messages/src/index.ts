export { AccessMessage } from './reading/access-message.js';
export { CheckFileAccess } from './reading/check-file-access.js';
export { clientName } from './sending/client-name.rules.js';
export { type Delivery, DeliverMessage } from './sending/deliver-message.js';
export { FetchMessage, type ShownMessage } from './reading/fetch-message.js';
export { MarkChannelAsRead } from './flags/mark-channel-as-read.js';
export { type MessagePlace, recipientId } from './sending/message-place.rules.js';
export type { MessagePerson, StoredMessage } from './reading/message.repository.js';
export { MessagesModule } from './messages.module.js';
export { lockSender } from './sending/sender-lock.js';
export { SendMessage, type WantedMessage } from './sending/send-message.js';
export {
  MESSAGE_NOTIFIER,
  type MessageNotifier,
  type NewMessage,
  type ReadOnScreen,
} from './notify/message-notifier.js';
export { type MessageRange, ReadMessagesRepository } from './flags/read-messages.repository.js';
export { UpdateMessageFlags } from './flags/update-message-flags.js';
