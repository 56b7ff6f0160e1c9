import { type Reply, sendRequest } from './http-request.js';

/** One delivery attempt, as the push sandbox lists it. */
export interface SandboxDelivery {
  readonly id: number;
  readonly platform: 'apns' | 'fcm';
  readonly token: string;
  readonly topic: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly status: number | null;
  readonly reason: string | null;
  /** Whether the phone shows the notification. */
  readonly shown: boolean;
  readonly received_at: number;
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

  /** The notifications that phones with this token have shown. */
  async shownOn(token: string): Promise<SandboxDelivery[]> {
    return (await this.deliveries({ token })).filter(({ shown }) => shown);
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

  async setMode(platform: 'apns' | 'fcm', orders: Orders): Promise<void> {
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
