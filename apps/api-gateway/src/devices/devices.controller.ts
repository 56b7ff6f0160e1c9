import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { RegisterDevice, RemoveDevice } from '#devices';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import {
  registerApnsDevice,
  registerFcmDevice,
  removeApnsDevice,
  removeFcmDevice,
} from './devices.schema.js';

@Controller()
export class DevicesController {
  constructor(
    private readonly registerDevice: RegisterDevice,
    private readonly removeDevice: RemoveDevice,
  ) {}

  @Endpoint(registerApnsDevice)
  async registerApns(
    @SignedIn() caller: Caller,
    @Parameters() { token, appid }: ParametersOf<typeof registerApnsDevice>,
  ) {
    await this.registerDevice.execute(caller, { platform: 'apns', token, appId: appid });
  }

  @Endpoint(removeApnsDevice)
  async removeApns(
    @SignedIn() caller: Caller,
    @Parameters() { token }: ParametersOf<typeof removeApnsDevice>,
  ) {
    await this.removeDevice.execute(caller, { platform: 'apns', token });
  }

  @Endpoint(registerFcmDevice)
  async registerFcm(
    @SignedIn() caller: Caller,
    @Parameters() { token }: ParametersOf<typeof registerFcmDevice>,
  ) {
    await this.registerDevice.execute(caller, { platform: 'fcm', token });
  }

  @Endpoint(removeFcmDevice)
  async removeFcm(
    @SignedIn() caller: Caller,
    @Parameters() { token }: ParametersOf<typeof removeFcmDevice>,
  ) {
    await this.removeDevice.execute(caller, { platform: 'fcm', token });
  }
}
