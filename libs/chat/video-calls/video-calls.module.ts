import { type DynamicModule, Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import type { OutboundProxy } from '#platform/outbound';
import { AccessTokens } from './access-tokens.js';
import { ProviderRegistry } from './provider-registry.js';
import type { ProviderOptions } from './provider-table.rules.js';
import { RegistrationService } from './registration.service.js';
import { VideoCallTokenRepository } from './video-call-token.repository.js';
import { VideoCallTokens } from './video-call-tokens.js';
import { VideoCallEvents } from './video-calls.events.js';
import { VideoCallsService } from './video-calls.service.js';
import { VideoProvidersEvents } from './video-providers.events.js';

interface VideoCallOptions extends ProviderOptions {
  /** The timeout of one request to a provider. */
  readonly deadlineMs: number;
  /** The way to the providers; left out for a direct one. */
  readonly proxy?: OutboundProxy | undefined;
}

/** Video calls at external providers; needs DatabaseModule and AuthModule. */
@Module({})
export class VideoCallsModule {
  static with({ deadlineMs, proxy, ...options }: VideoCallOptions): DynamicModule {
    return {
      module: VideoCallsModule,
      imports: [EventLogModule],
      providers: [
        { provide: ProviderRegistry, useValue: new ProviderRegistry(options, deadlineMs, proxy) },
        RegistrationService,
        VideoCallEvents,
        VideoCallsService,
        AccessTokens,
        VideoCallTokenRepository,
        VideoCallTokens,
        VideoProvidersEvents,
      ],
      exports: [RegistrationService, VideoCallsService],
    };
  }
}
