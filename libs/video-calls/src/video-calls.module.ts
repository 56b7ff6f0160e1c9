import { type DynamicModule, Module } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { CompleteRegistration } from './complete-registration.js';
import { CreateVideoCall } from './create-video-call.js';
import { ObtainAccessToken } from './obtain-access-token.js';
import { ProviderClient } from './provider-client.js';
import { ProviderRegistry } from './provider-registry.js';
import { type ProviderOptions, providerTable } from './provider-table.rules.js';
import { RegisterAtProvider } from './register-at-provider.js';
import { RegistrationTerms } from './registration-terms.js';
import type { VideoCallProvider } from './video-call-provider.js';
import { VideoCallTokenRepository } from './video-call-token.repository.js';
import { VideoCallTokens } from './video-call-tokens.js';

interface VideoCallOptions extends ProviderOptions {
  /** How long one request waits for a provider. */
  readonly deadlineMs: number;
}

/** Calls at providers of video meetings; needs DatabaseModule and AuthModule. */
@Module({})
export class VideoCallsModule {
  static with(options: VideoCallOptions): DynamicModule {
    return {
      module: VideoCallsModule,
      providers: [
        { provide: CLOCK, useValue: systemClock },
        { provide: ProviderRegistry, useValue: registryOf(options) },
        CompleteRegistration,
        CreateVideoCall,
        ObtainAccessToken,
        RegisterAtProvider,
        RegistrationTerms,
        VideoCallTokenRepository,
        VideoCallTokens,
      ],
      exports: [CompleteRegistration, CreateVideoCall, RegisterAtProvider, VideoCallTokens],
    };
  }
}

function registryOf({ deadlineMs, ...options }: VideoCallOptions): ProviderRegistry {
  const { webex, zoom } = providerTable(options);
  const clientOf = (provider: VideoCallProvider | null) =>
    provider && new ProviderClient(provider, deadlineMs);
  return new ProviderRegistry({ webex: clientOf(webex), zoom: clientOf(zoom) });
}
