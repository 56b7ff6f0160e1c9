import { Injectable, Logger, Optional } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { type Clock, systemClock } from '#platform/core';
import { AccessTokens } from './access-tokens.js';
import { type ProviderClient, ProviderFailure, ProviderRefusal } from './provider-client.js';
import { ProviderRegistry } from './provider-registry.js';
import { VideoCallTokens } from './video-call-tokens.js';
import { videoCallErrors } from './video-calls.errors.js';

/** Creates meetings at providers of video calls. */
@Injectable()
export class VideoCallsService {
  readonly #logger = new Logger(VideoCallsService.name);

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly accessTokens: AccessTokens,
    private readonly tokens: VideoCallTokens,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Creates a meeting in the name of the caller's account at the provider, and resolves with its address. Throws
   * `invalidVideoCallProvider`, `videoCallProviderNotConfigured`, `invalidVideoCallToken` when the account must
   * register (again), and `videoCallNotCreated` when the provider failed.
   */
  async create(caller: Caller, providerName: string): Promise<string> {
    const provider = this.providers.find(providerName);
    try {
      return await this.#createMeeting(caller.userId, provider);
    } catch (error) {
      if (error instanceof ProviderRefusal) {
        throw new ApiError(videoCallErrors.invalidVideoCallToken, { provider: provider.title });
      }
      if (!(error instanceof ProviderFailure)) throw error;
      this.#logger.warn(`No call was created: ${error.message}`);
      throw new ApiError(videoCallErrors.videoCallNotCreated, { provider: provider.title });
    }
  }

  async #createMeeting(userId: number, provider: ProviderClient): Promise<string> {
    const held = await this.accessTokens.obtain(userId, provider);
    try {
      return await provider.createMeeting(held.token.accessToken, this.clock());
    } catch (error) {
      if (error instanceof ProviderRefusal) await this.tokens.remove(held);
      throw error;
    }
  }
}
