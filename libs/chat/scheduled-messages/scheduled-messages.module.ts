import { Module } from '@nestjs/common';
import { MessagesModule } from '#chat/messages';
import { EventLogModule } from '#events/log';
import { ScheduledMessageFailures } from './scheduled-message-failures.js';
import { ScheduledMessageRepository } from './scheduled-message.repository.js';
import { ScheduledMessagesDelivery } from './scheduled-messages-delivery.js';
import { ScheduledMessageEvents } from './scheduled-messages.events.js';
import { ScheduledMessagesService } from './scheduled-messages.service.js';

/** Scheduled messages, and their delivery. Needs AuthModule and DatabaseModule. */
@Module({
  imports: [EventLogModule, MessagesModule],
  providers: [
    ScheduledMessageEvents,
    ScheduledMessageFailures,
    ScheduledMessageRepository,
    ScheduledMessagesDelivery,
    ScheduledMessagesService,
  ],
  exports: [ScheduledMessagesService],
})
export class ScheduledMessagesModule {}
