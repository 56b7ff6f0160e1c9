export { AttachmentEventRepository } from './attachment-event.repository.js';
export { AttachmentEvents, type RemovedAttachment } from './attachment.events.js';
export { AttachmentsModule } from './attachments.module.js';
