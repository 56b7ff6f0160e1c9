export { destinationKindOf, destinationType } from './destination-type.schema.js';
export { messageContent } from './message-content.schema.js';
export { FetchController } from './fetching/fetch.controller.js';
export { MessagesController } from './messages.controller.js';
export { MessageChangesController } from './changing/message-changes.controller.js';
export { SubmessagesController } from './submessages/submessages.controller.js';
