export { addDirectTestNotifications } from './direct-test-notifications.js';
export { TestNotificationController } from './test-notification.controller.js';
