export { AttachmentEventRepository, type OwnAttachment } from './attachment-event.repository.js';
export {
  AttachmentEvents,
  type RemovedAttachment,
  toAttachmentResponse,
} from './attachment.events.js';
export { AttachmentsModule } from './attachments.module.js';
