import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { PushRevocations } from '#push/revocations';
import {
  registerClientDevice,
  registerForPush,
  removeClientDevice,
} from './client-devices.schema.js';
import { ClientDevicesService } from './client-devices.service.js';
import type { RegistrationRequest } from './push-registration.rules.js';
import { PushRegistrationService } from './push-registration.service.js';

@Controller()
export class ClientDevicesController {
  constructor(
    private readonly devices: ClientDevicesService,
    private readonly registrations: PushRegistrationService,
    private readonly revocations: PushRevocations,
  ) {}

  @Endpoint(registerClientDevice)
  async add(@SignedIn() caller: Caller) {
    return { device_id: await this.devices.add(caller) };
  }

  @Endpoint(removeClientDevice)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { device_id }: ParametersOf<typeof removeClientDevice>,
  ) {
    await this.devices.remove(caller, device_id);
    await this.revocations.revokeDevices([device_id]);
  }

  @Endpoint(registerForPush)
  async register(
    @SignedIn() caller: Caller,
    @Parameters() { device_id, ...fields }: ParametersOf<typeof registerForPush>,
  ) {
    await this.registrations.register(caller, device_id, requestOf(fields));
  }
}

type Fields = Omit<ParametersOf<typeof registerForPush>, 'device_id'>;

/** A group counts only with all its fields. */
const requestOf = (fields: Fields): RegistrationRequest => ({
  key: keyOf(fields),
  token: tokenOf(fields),
});

const keyOf = ({ push_key: key, push_key_id: id }: Fields): RegistrationRequest['key'] =>
  key === undefined || id === undefined ? null : { key, id };

function tokenOf({
  token_kind: platform,
  token_id: id,
  bouncer_public_key: servicePublicKey,
  encrypted_push_registration: sealed,
}: Fields): RegistrationRequest['token'] {
  if (platform === undefined || id === undefined) return null;
  if (servicePublicKey === undefined || sealed === undefined) return null;
  return { platform, id, servicePublicKey, sealed };
}
