import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addDirectRoute, charged, type DirectRouteOptions } from '#platform/http';
import { TestNotificationController } from './test-notification.controller.js';
import { sendEncryptedTestNotification, sendTestNotification } from './test-notification.schema.js';

/** Sends most test notifications without the framework. */
export function addDirectTestNotifications(
  app: NestFastifyApplication,
  options: DirectRouteOptions,
): void {
  const controller = app.get(TestNotificationController, { strict: false });
  addDirectRoute(app, {
    declaration: sendTestNotification,
    prepare: charged(app, ({ caller, parameters }) => controller.send(caller, parameters)),
    ...options,
  });
  addDirectRoute(app, {
    declaration: sendEncryptedTestNotification,
    prepare: charged(app, ({ caller, parameters }) => controller.sendEncrypted(caller, parameters)),
    ...options,
  });
}
