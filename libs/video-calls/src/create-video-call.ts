import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { type Clock, CLOCK } from '#core';
import { ObtainAccessToken } from './obtain-access-token.js';
import type { ProviderClient } from './provider-client.js';
import { ProviderFailure, ProviderRefusal } from './provider-errors.js';
import { ProviderRegistry } from './provider-registry.js';
import { VideoCallTokens } from './video-call-tokens.js';

/** Makes a meeting at a provider, as the person there who agreed to it. */
@Injectable()
export class CreateVideoCall {
  private readonly logger = new Logger(CreateVideoCall.name);

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly obtainAccessToken: ObtainAccessToken,
    private readonly tokens: VideoCallTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves with the meeting's address. Throws `invalidVideoCallProvider`,
   * `videoCallProviderNotConfigured`, `invalidVideoCallToken` when the account has to agree (again), and
   * `videoCallNotCreated` when the provider failed.
   */
  async execute(caller: Caller, providerName: string): Promise<string> {
    const provider = this.providers.find(providerName);
    try {
      return await this.#createMeeting(caller.userId, provider);
    } catch (error) {
      if (error instanceof ProviderRefusal) {
        throw new ApiError('invalidVideoCallToken', { provider: provider.title });
      }
      if (!(error instanceof ProviderFailure)) throw error;
      this.logger.warn(`No call was created: ${error.message}`);
      throw new ApiError('videoCallNotCreated', { provider: provider.title });
    }
  }

  async #createMeeting(userId: number, provider: ProviderClient): Promise<string> {
    const held = await this.obtainAccessToken.execute(userId, provider);
    try {
      return await provider.createMeeting(held.token.accessToken, this.clock());
    } catch (error) {
      if (error instanceof ProviderRefusal) await this.tokens.remove(held);
      throw error;
    }
  }
}
