import type { ApiClient } from './api-client.js';
import type { Reply } from './http-request.js';
import { androidToken, DEMO_APP_ID, iphoneToken } from './push-tokens.js';

/** A phone with the app, and the requests of the app for the account that is signed in. */
export class Phone {
  private constructor(
    readonly platform: 'apns' | 'fcm',
    readonly token: string,
    private readonly path: string,
    private readonly extra: Readonly<Record<string, string>>,
  ) {}

  static iphone(token = iphoneToken()): Phone {
    return new Phone('apns', token, '/users/me/apns_device_token', { appid: DEMO_APP_ID });
  }

  static android(token = androidToken()): Phone {
    return new Phone('fcm', token, '/users/me/android_gcm_reg_id', {});
  }

  /** Rejects if the gateway refuses the registration. */
  async register(api: ApiClient): Promise<this> {
    const reply = await api.post(this.path, { token: this.token, ...this.extra });
    if (reply.status !== 200) throw new Error(`The phone was not registered: ${reply.text}`);
    return this;
  }

  remove(api: ApiClient): Promise<Reply> {
    return api.delete(this.path, { token: this.token });
  }
}
