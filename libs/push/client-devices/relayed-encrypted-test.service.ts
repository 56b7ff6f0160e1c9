import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { CLOCK, type Clock } from '#platform/core';
import { encryptPayload } from '#push/encryption';
import { plainPayload, recipientOf } from '#push/providers';
import {
  encryptedErrorOf,
  encryptedRequest,
  PushServiceClient,
  RELAY_SETTINGS,
  RelayIdentityRepository,
  type RelaySettings,
  textsIn,
} from '#push/service';
import { type ActiveDevice } from './client-device.repository.js';
import { clientDeviceErrors } from './client-devices.errors.js';
import { ClientDevicesService } from './client-devices.service.js';
import { DeviceKeys } from './device-keys.js';

/** On a server that relays: sends encrypted test notifications while the caller waits. */
@Injectable()
export class RelayedEncryptedTestService {
  constructor(
    private readonly devices: ClientDevicesService,
    private readonly keys: DeviceKeys,
    private readonly client: PushServiceClient,
    private readonly identities: RelayIdentityRepository,
    @Inject(RELAY_SETTINGS) private readonly relay: RelaySettings | null,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  get isNeeded(): boolean {
    return this.relay !== null;
  }

  /**
   * To one or all client devices of the caller; resolves with their number when the push service has taken one of them.
   * Rejects with `noActivePushDevice` if none of them has a token, or all tokens are dead, and with ApiError when the service
   * fails.
   */
  async send(caller: Caller, deviceId: number | null): Promise<number> {
    const devices = await this.devices.listActive(caller, deviceId);
    if (devices.length === 0) throw new ApiError(clientDeviceErrors.noActivePushDevice);
    const startedAt = this.clock();
    const answer = await this.client.postJson('/push/e2ee/notify', {
      realm_uuid: await this.identities.realmUuid(caller.realm.id),
      push_requests: devices.map((device) => this.#requestTo(device, caller)),
    });
    if (answer.kind !== 'ok') throw encryptedErrorOf(answer);
    const deleted = textsIn(answer.body['delete_token_ids']);
    await this.devices.tokensDeleted(caller.realm.id, deleted, new Date(startedAt));
    const isDead = ({ tokenId }: ActiveDevice) => deleted.includes(tokenId.toString('base64'));
    if (devices.every(isDead)) throw new ApiError(clientDeviceErrors.noActivePushDevice);
    return devices.length;
  }

  #requestTo({ platform, tokenId, pushKeyId: keyId, pushKeySealed }: ActiveDevice, caller: Caller) {
    const recipient = recipientOf(new URL(this.relay?.externalUrl ?? ''), caller);
    const content = { kind: 'test', time: Math.floor(this.clock() / 1000) } as const;
    const plain = plainPayload(recipient, content, { platform, keyId });
    const data = encryptPayload(this.keys.open(pushKeySealed), plain);
    const target = { platform, tokenId: tokenId.toString('base64') };
    return encryptedRequest(target, { kind: 'encrypted', isSilent: false, keyId, data });
  }
}
