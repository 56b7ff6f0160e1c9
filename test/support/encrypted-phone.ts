import { randomInt } from 'node:crypto';
import type { PhonePlatform } from '#push/jobs';
import { decryptPayload, makePushKey, sealTo, tokenIdOf } from '#push/encryption';
import type { ApiClient } from './api-client.js';
import type { Reply } from './http-request.js';
import { androidToken, DEMO_APP_ID, iphoneToken } from './push-tokens.js';

/** A sealed registration that differs from what a phone would make now. */
interface Peculiarities {
  /** UNIX seconds. */
  readonly timestamp?: number;
  readonly servicePublicKey?: string;
}

/** An app that registers for encrypted notifications, and decrypts them. */
export class EncryptedPhone {
  readonly pushKey = makePushKey();
  readonly keyId = randomInt(2 ** 32);
  /** 0 until `register`. */
  deviceId = 0;

  private constructor(
    private readonly servicePublicKey: string,
    readonly platform: PhonePlatform,
    readonly token: string,
  ) {}

  /** `servicePublicKey` is in base64. */
  static iphone(servicePublicKey: string, token = iphoneToken()): EncryptedPhone {
    return new EncryptedPhone(servicePublicKey, 'apns', token);
  }

  static android(servicePublicKey: string, token = androidToken()): EncryptedPhone {
    return new EncryptedPhone(servicePublicKey, 'fcm', token);
  }

  get tokenId(): string {
    return tokenIdOf(this.token).toString('base64');
  }

  /** The parameters of the push key. */
  get keyFields() {
    return { push_key: this.pushKey.toString('base64'), push_key_id: this.keyId };
  }

  /** The parameters of the token. */
  tokenFields({ timestamp, servicePublicKey = this.servicePublicKey }: Peculiarities = {}) {
    const plain = JSON.stringify({
      token: this.token,
      token_kind: this.platform,
      timestamp: timestamp ?? Math.floor(Date.now() / 1000),
      ...(this.platform === 'apns' && { ios_app_id: DEMO_APP_ID }),
    });
    const publicKey = Buffer.from(this.servicePublicKey, 'base64');
    return {
      token_kind: this.platform,
      token_id: this.tokenId,
      bouncer_public_key: servicePublicKey,
      encrypted_push_registration: sealTo(publicKey, Buffer.from(plain)).toString('base64'),
    };
  }

  /** Adds a device and sends its key and token. Rejects if the gateway refuses one of them. */
  async register(api: ApiClient): Promise<this> {
    const { body } = await api.post('/register_client_device');
    this.deviceId = Number(body['device_id']);
    const reply = await this.send(api, { ...this.keyFields, ...this.tokenFields() });
    if (reply.status !== 200) throw new Error(`The phone was not registered: ${reply.text}`);
    return this;
  }

  /** Sends these parameters for its device; `undefined` leaves one out. */
  send(api: ApiClient, fields: Readonly<Record<string, unknown>>): Promise<Reply> {
    const given = Object.entries({ device_id: this.deviceId, ...fields });
    return api.post(
      '/mobile_push/register',
      Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    );
  }

  /** What the phone reads in `encrypted_data`; null for a notification with another key. */
  read(encryptedData: string): unknown {
    const plain = decryptPayload(this.pushKey, encryptedData);
    return plain === null ? null : JSON.parse(plain);
  }
}
