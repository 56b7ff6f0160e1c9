export { ReadMessagesService } from './flags/read-messages.service.js';
export {
  MESSAGE_NOTIFIER,
  type MessageNotifier,
  type NewMessage,
  type ReadOnScreen,
} from './message-notifier.js';
export { messageErrors } from './messages.errors.js';
export { MessagesModule } from './messages.module.js';
export { MessageAccess } from './reading/message-access.js';
export { MessageSender, type ServerMessage } from './sending/message-sender.js';
export { shownTopic, storedTopic } from './topic-display.rules.js';
