import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import {
  sendEncryptedTestNotification,
  sendTestNotification,
  sendWebPushTestNotification,
} from './test-notification.schema.js';
import { TestNotificationsService } from './test-notifications.service.js';

@Controller()
export class TestNotificationController {
  constructor(private readonly tests: TestNotificationsService) {}

  @Endpoint(sendTestNotification)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() { token, 'Idempotency-Key': key }: ParametersOf<typeof sendTestNotification>,
  ) {
    await this.tests.send(caller, { token, key });
  }

  @Endpoint(sendEncryptedTestNotification)
  async sendEncrypted(
    @SignedIn() caller: Caller,
    @Parameters() { device_id }: ParametersOf<typeof sendEncryptedTestNotification>,
  ) {
    await this.tests.sendEncrypted(caller, device_id ?? null);
  }

  @Endpoint(sendWebPushTestNotification)
  async sendToSubscription(
    @SignedIn() caller: Caller,
    @Parameters() { subscription_id: id }: ParametersOf<typeof sendWebPushTestNotification>,
  ) {
    await this.tests.sendToSubscription(caller, id);
  }
}
