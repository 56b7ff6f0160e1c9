export { TestNotificationController } from './test-notification.controller.js';
