export { ScheduledMessagesController } from './scheduled-messages.controller.js';
