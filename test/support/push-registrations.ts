import { randomBytes } from 'node:crypto';
import type { Caller } from '#platform/contracts';
import { ClientDevicesService, PushRegistrationService } from '#push/devices';
import { PushKeyRepository, PushKeys } from '#push/tokens';
import type { EncryptedPhone } from './encrypted-phone.js';
import type { Account, PushSystem } from './push-system.js';

type Peculiarities = Parameters<EncryptedPhone['tokenFields']>[0] & {
  /** Another sealed registration. */
  readonly sealed?: string;
};

/** Phones that register for encrypted notifications at a system. */
export class PushRegistrations {
  constructor(private readonly system: PushSystem) {}

  /** Adds a key pair of the push service; resolves with the public key in base64. */
  addPushKey(): Promise<string> {
    return this.system.service(PushKeys).add();
  }

  /** The same, with a private key that is sealed with another secret. */
  addUnreadablePushKey(): Promise<string> {
    return new PushKeys(new PushKeyRepository(this.system.database), randomBytes(32)).add();
  }

  /** Adds the device of a phone, and sends its key and token. */
  async register(
    account: Account,
    phone: EncryptedPhone,
    peculiarities: Peculiarities = {},
  ): Promise<void> {
    const devices = this.system.service(ClientDevicesService);
    phone.deviceId = await devices.add(this.#callerOf(account));
    await this.registerAgain(account, phone, peculiarities);
  }

  /** Sends the key and the token of a phone for its device. */
  async registerAgain(
    account: Account,
    phone: EncryptedPhone,
    { sealed, ...peculiarities }: Peculiarities = {},
  ): Promise<void> {
    const fields = phone.tokenFields(peculiarities);
    const service = this.system.service(PushRegistrationService);
    await service.register(this.#callerOf(account), phone.deviceId, {
      key: { id: phone.keyId, key: phone.pushKey.toString('base64') },
      token: {
        platform: phone.platform,
        id: phone.tokenId,
        servicePublicKey: fields.bouncer_public_key,
        sealed: sealed ?? fields.encrypted_push_registration,
      },
    });
  }

  /** Sends the key of a phone alone for its device. */
  async sendKey(account: Account, phone: EncryptedPhone): Promise<void> {
    const service = this.system.service(PushRegistrationService);
    const key = { id: phone.keyId, key: phone.pushKey.toString('base64') };
    await service.register(this.#callerOf(account), phone.deviceId, { key, token: null });
  }

  async remove(account: Account, { deviceId }: EncryptedPhone): Promise<void> {
    await this.system.service(ClientDevicesService).remove(this.#callerOf(account), deviceId);
  }

  /** The events of the client devices of an account, in their order. */
  async eventsOf({ userId }: Account): Promise<unknown[]> {
    const events = await this.system.database.prisma.event.findMany({
      where: { type: 'device', userIds: { has: userId } },
      orderBy: { position: 'asc' },
    });
    return events.map(({ body }) => body);
  }

  #callerOf({ userId, keyGeneration }: Account): Caller {
    const { realmId: id } = this.system;
    return {
      userId,
      keyGeneration,
      realm: { id, subdomain: '', isPresenceDisabled: false },
      deliveryEmail: '',
      role: 400,
      isBot: false,
      isPresenceEnabled: true,
      joinedAt: 0,
    };
  }
}
