import { type DynamicModule, Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import type { EndpointPolicy } from '#push/providers';
import { PushRevocationsModule } from '#push/revocations';
import { ConfirmationTokens } from './confirmation-tokens.js';
import { WebPushKeyChanges } from './web-push-key-changes.js';
import { WebPushEvents } from './web-push.events.js';
import { WebPushRegistration } from './web-push-registration.js';
import { WEB_PUSH_POLICY, WebPushRequests } from './web-push-requests.js';
import { WebPushSubscriptions } from './web-push-subscriptions.service.js';
import { WebPushRepository } from './web-push.repository.js';

/** The subscriptions of Web Push, for logouts and workers; needs DatabaseModule and PushServiceModule. */
@Module({
  providers: [ConfirmationTokens, WebPushRepository],
  exports: [ConfirmationTokens, WebPushRepository],
})
export class WebPushStoreModule {}

/** The events of changed keys, for the command line; needs DatabaseModule and PushServiceModule. */
@Module({
  imports: [EventLogModule],
  providers: [WebPushKeyChanges],
  exports: [WebPushKeyChanges],
})
export class WebPushKeyChangesModule {}

/** Their registration by clients; needs PushProducerModule, PushServiceModule, and `imports` with RateLimits. */
@Module({})
export class WebPushModule {
  static with(options: {
    readonly imports: readonly DynamicModule[];
    readonly policy: EndpointPolicy;
  }): DynamicModule {
    return {
      module: WebPushModule,
      global: true,
      imports: [...options.imports, PushRevocationsModule, WebPushStoreModule],
      providers: [
        WebPushEvents,
        WebPushRegistration,
        WebPushRequests,
        WebPushSubscriptions,
        { provide: WEB_PUSH_POLICY, useValue: options.policy },
      ],
      exports: [WebPushRegistration, WebPushSubscriptions],
    };
  }
}
