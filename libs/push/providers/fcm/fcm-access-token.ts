import { Logger } from '@nestjs/common';
import { counted, errorText, Sampler } from '#platform/core';
import type { AccessTokenSource } from '../transport/send-signed-in.js';
import type { AccessToken } from './fcm-token-request.js';

/** A token is renewed when it expires within this, or after half of its life if that is later. */
const RENEW_BEFORE_EXPIRY_MS = 300_000;
/** Between two renewals of a valid token, so that a failing endpoint is not asked with every push. */
const RENEWAL_PAUSE_MS = 10_000;

/** The access token of a service account. Concurrent callers share one request for it. */
export class FcmAccessToken implements AccessTokenSource {
  readonly #logger = new Logger(FcmAccessToken.name);
  readonly #sampler = new Sampler();
  #token: AccessToken | undefined;
  /** UNIX milliseconds. */
  #renewAt = 0;
  #fetching: Promise<string> | undefined;

  /** `request` fetches a token; it rejects with NoAccessToken. */
  constructor(private readonly request: () => Promise<AccessToken>) {}

  /** A valid token is used while the next one is fetched: pushes do not wait for a slow endpoint. */
  current(): string | Promise<string> {
    const token = this.#token;
    const now = Date.now();
    if (token === undefined || now >= token.expiresAt) return this.#fetchOnce();
    if (now >= this.#renewAt) {
      this.#renewAt = now + RENEWAL_PAUSE_MS;
      // The log has the error.
      this.#fetchOnce().catch(() => undefined);
    }
    return token.text;
  }

  /** The next call fetches another token. */
  reportRefused(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  #fetchOnce(): Promise<string> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<string> {
    try {
      const token = await this.request();
      const now = Date.now();
      const early = Math.min(RENEW_BEFORE_EXPIRY_MS, (token.expiresAt - now) / 2);
      this.#token = token;
      this.#renewAt = token.expiresAt - early;
      return token.text;
    } catch (error) {
      this.#report(error);
      throw error;
    }
  }

  #report(error: unknown): void {
    const count = this.#sampler.take();
    if (count === null) return;
    const requests = counted(count, 'request');
    this.#logger.warn(`${requests} for an access token of Google failed: ${errorText(error)}`);
  }
}
