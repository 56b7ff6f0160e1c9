import { type Reply, sendRequest } from './http-request.js';

/** One delivery attempt, as the push sandbox lists it. */
export interface SandboxDelivery {
  readonly id: number;
  readonly platform: 'apns' | 'fcm' | 'web';
  readonly token: string;
  readonly topic: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The encrypted content, if it is for a phone that the sandbox plays; else null. */
  readonly decrypted: Readonly<Record<string, unknown>> | null;
  readonly status: number | null;
  readonly reason: string | null;
  /** Whether the phone shows the notification. */
  readonly shown: boolean;
  /** The phone was off for longer than the time to live. */
  readonly expired: boolean;
  /** How late the answer is. */
  readonly delay_ms: number;
  readonly received_at: number;
}

/** The screen of a phone, as the push sandbox derives it. */
export interface SandboxScreen {
  readonly platform: 'apns' | 'fcm' | 'web';
  readonly token: string;
  readonly notifications: readonly {
    readonly kind: 'alert' | 'encrypted';
    readonly account: string;
    readonly message_ids: readonly string[];
    readonly title: string;
  }[];
  readonly messages: readonly {
    readonly account: string;
    readonly message_id: string;
    readonly copies: number;
  }[];
}

/** A phone that the sandbox plays, with the parameters of its registration. */
export interface SandboxPhone {
  readonly token: string;
  readonly registration: Readonly<Record<string, string | number>>;
}

/** A browser that the sandbox plays, with the values of its subscription. */
export interface SandboxBrowser {
  readonly token: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** The number of such answers of a platform; `distinct` counts each notification on each phone once. */
interface SandboxCounts {
  readonly attempts: number;
  readonly distinct: number;
  readonly duplicates: number;
}

/** The scripted answer for one token, or the mode of a platform. */
type Orders = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A client of the push sandbox's control API: lists deliveries and scripts answers. */
export class SandboxClient {
  constructor(private readonly url: string) {}

  /** Every attempt, including refused ones, oldest first. */
  async deliveries(filter: { readonly token?: string } = {}): Promise<SandboxDelivery[]> {
    const reply = await this.#call('GET', `deliveries?${new URLSearchParams(filter).toString()}`);
    // The sandbox documents this shape.
    return reply.body['deliveries'] as SandboxDelivery[];
  }

  /** The notifications that phones with this token have received, also those that they do not show any more. */
  async shownOn(token: string): Promise<SandboxDelivery[]> {
    return (await this.deliveries({ token })).filter(({ shown }) => shown);
  }

  /** The screen of the phone with a token of one platform; undefined if nothing was sent to it. */
  async screenOf(token: string): Promise<SandboxScreen | undefined> {
    const { body } = await this.#call('GET', `screens/${encodeURIComponent(token)}`);
    // The sandbox documents this shape.
    const [screen] = body['screens'] as SandboxScreen[];
    return screen;
  }

  /** The count of a platform's answers with a status, also if they are too many to list. */
  async counts(platform: 'apns' | 'fcm', status = 200): Promise<SandboxCounts> {
    const { body } = await this.#call('GET', 'deliveries/summary');
    // The sandbox documents this shape.
    const counts = body[platform] as Readonly<Record<string, SandboxCounts>>;
    return counts[status] ?? { attempts: 0, distinct: 0, duplicates: 0 };
  }

  async forget(): Promise<void> {
    await this.#call('DELETE', 'deliveries');
  }

  async answer(token: string, orders: Orders): Promise<void> {
    await this.#call('PUT', `tokens/${encodeURIComponent(token)}`, orders);
  }

  /** Ends the scripted answers for a token. */
  async answerNormally(token: string): Promise<void> {
    await this.#call('DELETE', `tokens/${encodeURIComponent(token)}`);
  }

  /** A phone that reads encrypted notifications; with a token, the app of that token with a new key. */
  async addPhone(
    platform: 'apns' | 'fcm',
    publicKey: string,
    token?: string,
  ): Promise<SandboxPhone> {
    const orders = { platform, public_key: publicKey, ...(token !== undefined && { token }) };
    const { body } = await this.#call('POST', 'phones', orders);
    // The sandbox documents this shape.
    return body as unknown as SandboxPhone;
  }

  /** A browser that subscribes with this VAPID key. */
  async addBrowser(vapidPublicKey: string): Promise<SandboxBrowser> {
    const { body } = await this.#call('POST', 'browsers', { vapid_public_key: vapidPublicKey });
    // The sandbox documents this shape.
    return body as unknown as SandboxBrowser;
  }

  /** Switches a browser off or on; then it gets what its push service has kept. */
  async switchBrowser(token: string, isOnline: boolean): Promise<void> {
    await this.#call('PUT', `browsers/${token}`, { online: isOnline });
  }

  async setMode(platform: 'apns' | 'fcm' | 'web', orders: Orders): Promise<void> {
    await this.#call('PUT', `platforms/${platform}`, orders);
  }

  async #call(method: string, path: string, orders?: Orders): Promise<Reply> {
    const reply = await sendRequest(`${this.url}/api/${path}`, {
      method,
      ...(orders && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(orders),
      }),
    });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply;
  }
}
