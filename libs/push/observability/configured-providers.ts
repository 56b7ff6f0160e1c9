import { Injectable } from '@nestjs/common';
import { cachedCall, withinDeadline } from '#platform/core';
import { PushActivityStore } from './push-activity.store.js';

const CACHE_MS = 2000;

/** The longest wait for Redis. */
const MAX_WAIT_MS = 500;

/** Whether a provider is configured. Only workers know the credentials: their reports in Redis hold for an hour. */
@Injectable()
export class ConfiguredProviders {
  readonly #read = cachedCall({ forMs: CACHE_MS, costFactor: 0 }, () => this.#readStore());
  #last = false;

  constructor(private readonly store: PushActivityStore) {}

  /** Never rejects: while Redis is down it is the last known answer. */
  isConfigured(): Promise<boolean> {
    return withinDeadline(MAX_WAIT_MS, this.#read(), () => this.#last).catch(() => this.#last);
  }

  async #readStore(): Promise<boolean> {
    this.#last = await this.store.hasProvider();
    return this.#last;
  }
}
