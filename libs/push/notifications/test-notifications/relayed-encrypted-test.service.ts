import { Injectable, Logger, Optional } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { type Clock, errorText, systemClock } from '#platform/core';
import { encryptPayload } from '#push/encryption';
import { type NotifiedAccount, plainPayload, recipientOf } from '#push/providers';
import {
  encryptedErrorOf,
  encryptedRequest,
  PushServiceClient,
  RealmAnswers,
  relayErrors,
  RelayIdentityRepository,
  textsIn,
} from '#push/relay';
import {
  type ActiveDevice,
  clientDeviceErrors,
  ClientDevicesService,
  DeviceKeys,
} from '#push/devices';
import type { EncryptedTests } from './test-notifications.service.js';

/** On a server that relays: sends encrypted test notifications while the caller waits. */
@Injectable()
export class RelayedEncryptedTestService implements EncryptedTests {
  readonly #logger = new Logger(RelayedEncryptedTestService.name);

  constructor(
    private readonly devices: ClientDevicesService,
    private readonly keys: DeviceKeys,
    private readonly client: PushServiceClient,
    private readonly identities: RelayIdentityRepository,
    private readonly realms: RealmAnswers,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * To one or all client devices of the caller; resolves with their number when the push service has taken one of them.
   * Rejects with `noActivePushDevice` if none of them has a token, or all tokens are dead, and with ApiError when the service
   * fails.
   */
  async sendEncrypted(caller: Caller, deviceId: number | null): Promise<number> {
    const devices = await this.devices.listActive(caller, deviceId);
    if (devices.length === 0) throw new ApiError(clientDeviceErrors.noActivePushDevice);
    const startedAt = this.clock();
    const { uuid: realmUuid, name } = await this.identities.realm(caller.realm.id);
    const account = { userId: caller.userId, realm: { ...caller.realm, name } };
    const requests = devices.flatMap((device) => this.#requestTo(device, account) ?? []);
    if (requests.length === 0) throw new ApiError(relayErrors.adminActionRequired);
    const answer = await this.client.postJson('/push/e2ee/notify', {
      realm_uuid: realmUuid,
      push_requests: requests,
    });
    if (answer.kind !== 'ok') {
      if (answer.kind === 'refused') await this.realms.refused(caller.realm.id, answer.code);
      throw encryptedErrorOf(answer);
    }
    await this.realms.accepted(realmUuid, answer.body['realm_push_status']);
    const deleted = textsIn(answer.body['delete_token_ids']);
    await this.devices.tokensDeleted(caller.realm.id, deleted, new Date(startedAt));
    const isDead = ({ tokenId }: ActiveDevice) => deleted.includes(tokenId.toString('base64'));
    if (devices.every(isDead)) throw new ApiError(clientDeviceErrors.noActivePushDevice);
    return devices.length;
  }

  /** Null for a push key that was sealed with another secret. */
  #requestTo(
    { platform, tokenId, pushKeyId: keyId, pushKeySealed }: ActiveDevice,
    account: NotifiedAccount,
  ) {
    const key = this.#open(pushKeySealed);
    if (key === null) return null;
    const recipient = recipientOf(this.client.externalUrl, account);
    const content = { kind: 'test', time: Math.floor(this.clock() / 1000) } as const;
    const plain = plainPayload(recipient, content, { platform, keyId });
    const data = encryptPayload(key, plain);
    const target = { platform, tokenId: tokenId.toString('base64') };
    return encryptedRequest(target, { kind: 'encrypted', isSilent: false, keyId, data });
  }

  #open(sealed: Buffer): Buffer | null {
    try {
      return this.keys.open(sealed);
    } catch (error) {
      this.#logger.error(`A push key cannot be opened: ${errorText(error)}`);
      return null;
    }
  }
}
