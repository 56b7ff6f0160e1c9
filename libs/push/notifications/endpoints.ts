import type { Endpoints } from '#platform/http';
import { TestNotificationController } from './test-notifications/test-notification.controller.js';

export { addDirectTestNotifications } from './test-notifications/direct-test-notifications.js';

/** Needs TestNotificationsModule. */
export const testNotificationsEndpoints: Endpoints = { controllers: [TestNotificationController] };
