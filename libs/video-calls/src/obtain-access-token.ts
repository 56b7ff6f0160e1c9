import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Clock, CLOCK } from '#core';
import type { ProviderClient } from './provider-client.js';
import { ProviderFailure, ProviderRefusal } from './provider-errors.js';
import { isBeingRefreshed, isFresh, tokenOf } from './provider-token.rules.js';
import { type HeldToken, VideoCallTokens } from './video-call-tokens.js';

const POLL_MS = 50;
/** What a refresh may take beside the provider's answer. */
const REFRESH_MARGIN_MS = 2000;

/**
 * Finds an account's token for a provider, and refreshes one that is about to end.
 *
 * A refresh token is good for one refresh: of requests that come together, one marks the token and
 * refreshes it, and the others wait for what comes of it. No database connection is held meanwhile.
 */
@Injectable()
export class ObtainAccessToken {
  constructor(
    private readonly tokens: VideoCallTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects with ProviderRefusal when there is no token that can be used, else with ProviderFailure. */
  async execute(userId: number, provider: ProviderClient): Promise<HeldToken> {
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

  async #find(userId: number, provider: ProviderClient): Promise<HeldToken> {
    const held = await this.tokens.find({ userId, provider: provider.name });
    if (held === null) throw new ProviderRefusal(`No token for ${provider.title}`);
    return held;
  }

  async #refresh(marked: HeldToken, provider: ProviderClient): Promise<HeldToken> {
    const { token, owner } = marked;
    try {
      if (token.refreshToken === null) throw new ProviderRefusal('There is no refresh token');
      const grant = await provider.refresh(token.refreshToken);
      const refreshed = await this.tokens.replace(marked, tokenOf(grant, token, this.clock()));
      // Without one, the account has agreed again meanwhile, and that token is the newer.
      return refreshed ?? (await this.#find(owner.userId, provider));
    } catch (error) {
      if (error instanceof ProviderRefusal) await this.tokens.remove(marked);
      else await this.tokens.replace(marked, { ...token, refreshedUntil: null });
      throw error;
    }
  }

  /** Waits for another request's refresh; as long as that one's mark lasts, should it never come back. */
  async #await(userId: number, provider: ProviderClient): Promise<HeldToken> {
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
