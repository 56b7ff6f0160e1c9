import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError, requestErrors } from '#platform/contracts';
import { Metrics } from '#platform/telemetry';

const limits = ['requests', 'pushes', 'uploads', 'devices'] as const;

/** A limit of a server. */
type ServerLimit = (typeof limits)[number];

const LOGGED_EVERY_MS = 60_000;
const MAX_SERVERS = 10_000;

/** Counts the requests of servers that a limit refuses, all servers together, and names the servers in the log. */
@Injectable()
export class LimitedServers {
  readonly #logger = new Logger(LimitedServers.name);
  readonly #logged = new LRUCache<string, true>({ max: MAX_SERVERS, ttl: LOGGED_EVERY_MS });
  readonly #refused;

  constructor(metrics: Metrics) {
    this.#refused = metrics.counter({
      name: 'carillon_push_service_limited_total',
      help: 'Requests of remote servers that a limit refused.',
      labels: ['limit'],
    });
    for (const limit of limits) this.#refused.add({ limit }, 0);
  }

  /** A limit has refused a request of the server. */
  note({ uuid }: { readonly uuid: string }, limit: ServerLimit): void {
    this.#refused.add({ limit });
    const key = `${limit} ${uuid}`;
    if (this.#logged.has(key)) return;
    this.#logged.set(key, true);
    this.#logger.warn(`Server ${uuid} is refused: limit of ${limit}`);
  }

  /** Resolves and rejects like the charge, and notes its refusal. */
  async watch(server: { readonly uuid: string }, limit: ServerLimit, charge: Promise<void>) {
    try {
      await charge;
    } catch (error) {
      if (error instanceof ApiError && error.error === requestErrors.rateLimited) {
        this.note(server, limit);
      }
      throw error;
    }
  }
}
