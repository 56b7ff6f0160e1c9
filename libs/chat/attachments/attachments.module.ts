import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { AttachmentEventRepository } from './attachment-event.repository.js';
import { AttachmentEvents } from './attachment.events.js';

/** The events of uploaded files, for the capabilities that change files and their links; needs DatabaseModule. */
@Module({
  imports: [EventLogModule],
  providers: [AttachmentEventRepository, AttachmentEvents],
  exports: [AttachmentEventRepository, AttachmentEvents],
})
export class AttachmentsModule {}
