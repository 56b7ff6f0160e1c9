import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { SampleRequest } from '../load/sandbox-inbox.js';
import type { ApnsAccess } from './apns-access.js';
import { type BareSender, postBare } from './bare-post.js';
import { providerToken } from './provider-token.js';

/**
 * One connection of node:http2 to APNs. The provider token and the request are
 * created once: a recorded request of the worker with another id.
 */
export class BareApns implements BareSender {
  readonly #headers: OutgoingHttpHeaders;
  readonly #body: Buffer;

  private constructor(
    private readonly session: ClientHttp2Session,
    access: ApnsAccess,
    { headers, payload }: SampleRequest,
  ) {
    const authorization = `bearer ${providerToken(access, Math.floor(Date.now() / 1000))}`;
    this.#headers = { ':method': 'POST', ...headers, authorization };
    this.#body = Buffer.from(JSON.stringify(payload));
  }

  static async open(access: ApnsAccess, sample: SampleRequest): Promise<BareApns> {
    const session = connect(`https://${access.host}:${access.port}`, {
      ca: readFileSync(access.caFile),
    });
    // Earlier requests would exceed the number of streams that the peer allows.
    await once(session, 'remoteSettings');
    return new BareApns(session, access, sample);
  }

  send(token: string): Promise<void> {
    const own = { ':path': `/3/device/${token}`, 'apns-id': randomUUID() };
    return postBare(this.session, { ...this.#headers, ...own }, this.#body, 200);
  }

  close(): void {
    this.session.close();
  }
}
