import type { Endpoints } from '#platform/http';
import { ClientDevicesController } from './encrypted/client-devices.controller.js';
import { PushRegistrationModule } from './encrypted/client-devices.module.js';
import { DevicesController } from './plain/devices.controller.js';
import { WebPushController } from './web/web-push.controller.js';
import { DevicesModule } from './plain/devices.module.js';

/** Needs WebPushModule. */
export const webPushEndpoints: Endpoints = { controllers: [WebPushController] };

export const devicesEndpoints: Endpoints = {
  imports: [DevicesModule, PushRegistrationModule],
  controllers: [ClientDevicesController, DevicesController],
};
