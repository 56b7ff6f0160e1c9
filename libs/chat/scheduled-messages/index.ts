export { scheduledMessageErrors } from './scheduled-messages.errors.js';
export { ScheduledMessagesModule } from './scheduled-messages.module.js';
