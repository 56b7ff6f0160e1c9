export { scheduledMessageErrors } from './scheduled-messages.errors.js';
