import { LRUCache } from 'lru-cache';
import type { Http2Outcome } from '../http2/http2-exchange.js';
import { Http2Pool } from '../http2/http2-pool.js';
import { sessionsWith } from '../http2/open-session.js';
import type { ConnectionSettings, WebPushRequest } from './web-push-http.js';

const MAX_CONNECTIONS = 2;
const MAX_CONNECT_MS = 5000;
/** Microsoft has an origin for each region, and the others have one; beyond this the longest unused is closed. */
const MAX_ORIGINS = 50;

/** Requests by HTTP/2 to the services of browsers: a pool for each origin. */
export class ServiceConnections {
  readonly #pools = new LRUCache<string, Http2Pool>({
    max: MAX_ORIGINS,
    dispose: (pool) => void this.#end(pool),
  });
  readonly #ending = new Set<Promise<void>>();

  constructor(private readonly settings: ConnectionSettings) {}

  /** Sends once; resolves within the deadline and never rejects. */
  post({ endpoint, headers, body, isWithdrawn }: WebPushRequest, timeoutMs: number) {
    const pseudo = { ':method': 'POST', ':path': endpoint.path };
    const request = { headers: { ...pseudo, ...headers }, body, isWithdrawn };
    const asked: Promise<Http2Outcome> = this.#poolOf(endpoint).request(request, timeoutMs);
    return asked;
  }

  /** Ends all connections; no request may be under way. */
  async close(): Promise<void> {
    this.#pools.clear();
    await Promise.all(this.#ending);
  }

  #poolOf({ origin, host, port }: WebPushRequest['endpoint']): Http2Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Http2Pool({
      name: `Connections to ${host}`,
      open: sessionsWith({ ...this.settings, host, port }),
      maxConnections: MAX_CONNECTIONS,
      connectTimeoutMs: MAX_CONNECT_MS,
      retiresConnection: () => false,
    });
    this.#pools.set(origin, pool);
    return pool;
  }

  async #end(pool: Http2Pool): Promise<void> {
    const ended = pool.close();
    this.#ending.add(ended);
    await ended;
    this.#ending.delete(ended);
  }
}
