import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock } from '#platform/core';
import { type ProviderClient, ProviderFailure, ProviderRefusal } from './provider-client.js';
import { isBeingRefreshed, isFresh, tokenOf } from './provider-token.rules.js';
import { type VideoCallToken, VideoCallTokens } from './video-call-tokens.js';

const POLL_MS = 50;

/** The time for a refresh in addition to the timeout of the provider. */
const REFRESH_MARGIN_MS = 2000;

/** The access tokens of accounts at providers. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly tokens: VideoCallTokens,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * A valid access token, refreshed if it is about to expire. A refresh token works once: one of several concurrent
   * requests marks the token and refreshes it, and the others poll for the result. No request holds a database connection
   * during the refresh. Rejects with ProviderRefusal when the account has no usable token, else with ProviderFailure.
   */
  async obtain(userId: number, provider: ProviderClient): Promise<VideoCallToken> {
    const held = await this.#find(userId, provider);
    const now = this.clock();
    if (isFresh(held.token, now)) return held;
    if (!isBeingRefreshed(held.token, now)) {
      const refreshedUntil = now + provider.deadlineMs + REFRESH_MARGIN_MS;
      const marked = await this.tokens.replace(held, { ...held.token, refreshedUntil });
      if (marked !== null) return this.#refresh(marked, provider);
    }
    return this.#await(userId, provider);
  }

  async #find(userId: number, provider: ProviderClient): Promise<VideoCallToken> {
    const held = await this.tokens.find({ userId, provider: provider.name });
    if (held === null) throw new ProviderRefusal(`No token for ${provider.title}`);
    return held;
  }

  async #refresh(marked: VideoCallToken, provider: ProviderClient): Promise<VideoCallToken> {
    const { token, owner } = marked;
    try {
      if (token.refreshToken === null) throw new ProviderRefusal('There is no refresh token');
      const grant = await provider.refresh(token.refreshToken);
      const refreshed = await this.tokens.replace(marked, tokenOf(grant, token, this.clock()));
      // Null when the account registered again during the refresh: that token is newer.
      return refreshed ?? (await this.#find(owner.userId, provider));
    } catch (error) {
      if (error instanceof ProviderRefusal) await this.tokens.remove(marked);
      else await this.tokens.replace(marked, { ...token, refreshedUntil: null });
      throw error;
    }
  }

  /** Waits for the refresh of another request, at most until its mark expires. */
  async #await(userId: number, provider: ProviderClient): Promise<VideoCallToken> {
    for (;;) {
      const held = await this.#find(userId, provider);
      const now = this.clock();
      if (isFresh(held.token, now)) return held;
      if (!isBeingRefreshed(held.token, now)) {
        throw new ProviderFailure(`${provider.title}: another request's refresh failed`);
      }
      await delay(POLL_MS);
    }
  }
}
