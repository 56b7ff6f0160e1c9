export { MessagesController } from './messages.controller.js';
