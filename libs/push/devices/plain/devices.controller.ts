import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import {
  registerApnsDevice,
  registerFcmDevice,
  removeApnsDevice,
  removeFcmDevice,
} from './devices.schema.js';
import { DevicesService } from './devices.service.js';

@Controller()
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Endpoint(registerApnsDevice)
  async registerApns(
    @SignedIn() caller: Caller,
    @Parameters()
    { token, appid, wants_badge: wantsBadge }: ParametersOf<typeof registerApnsDevice>,
  ) {
    await this.devices.register(caller, { platform: 'apns', token, appId: appid, wantsBadge });
  }

  @Endpoint(removeApnsDevice)
  async removeApns(
    @SignedIn() caller: Caller,
    @Parameters() { token }: ParametersOf<typeof removeApnsDevice>,
  ) {
    await this.devices.remove(caller, { platform: 'apns', token });
  }

  @Endpoint(registerFcmDevice)
  async registerFcm(
    @SignedIn() caller: Caller,
    @Parameters() { token }: ParametersOf<typeof registerFcmDevice>,
  ) {
    await this.devices.register(caller, { platform: 'fcm', token });
  }

  @Endpoint(removeFcmDevice)
  async removeFcm(
    @SignedIn() caller: Caller,
    @Parameters() { token }: ParametersOf<typeof removeFcmDevice>,
  ) {
    await this.devices.remove(caller, { platform: 'fcm', token });
  }
}
