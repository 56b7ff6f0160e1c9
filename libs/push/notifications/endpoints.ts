export { addDirectTestNotifications } from './test-notifications/direct-test-notifications.js';
export { TestNotificationController } from './test-notifications/test-notification.controller.js';
