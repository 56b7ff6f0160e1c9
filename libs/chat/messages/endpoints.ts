import type { Endpoints } from '#platform/http';
import { IdempotencyModule } from '#platform/idempotency';
import { MessageChangesController } from './changing/message-changes.controller.js';
import { FetchController } from './fetching/fetch.controller.js';
import { MessagesController } from './messages.controller.js';
import { MessagesModule } from './messages.module.js';
import { SubmessagesController } from './submessages/submessages.controller.js';

export { destinationKindOf, destinationType } from './destination-type.schema.js';
export { messageContent } from './message-content.schema.js';

export const messagesEndpoints: Endpoints = {
  imports: [IdempotencyModule, MessagesModule],
  controllers: [
    FetchController,
    MessageChangesController,
    MessagesController,
    SubmessagesController,
  ],
};
