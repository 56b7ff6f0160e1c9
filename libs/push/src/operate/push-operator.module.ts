import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { AcceptanceRepository } from '../accept/acceptance.repository.js';
import { WakeDeliveries } from '../accept/wake-deliveries.js';
import { PUSH_OBSERVER, type PushObserver } from '../observe/push-observer.js';
import { LedgerOperatorModule } from './ledger-operator.module.js';
import { ListPausedPlatforms } from './list-paused-platforms.js';
import { OperatedAccountRepository } from './operated-account.repository.js';
import { PausePlatform } from './pause-platform.js';
import { RequeueDeadLetters } from './requeue-dead-letters.js';
import { ResumePlatform } from './resume-platform.js';
import { SendTestTo } from './send-test-to.js';

const verbs = [ListPausedPlatforms, PausePlatform, RequeueDeadLetters, ResumePlatform, SendTestTo];

/** Nobody asks a program of a few seconds for its metrics. */
const silent: PushObserver = {
  accepted: () => undefined,
  ended: () => undefined,
  retried: () => undefined,
  pruned: () => undefined,
  held: () => undefined,
};

@Module({
  providers: [{ provide: PUSH_OBSERVER, useValue: silent }],
  exports: [PUSH_OBSERVER],
})
class SilentObserverModule {}

/** What an operator does with the push pipeline; needs DatabaseModule and QueueModule. */
@Module({})
export class PushOperatorModule {
  static with(
    options: {
      /** Modules that export a PUSH_OBSERVER; nobody hears of anything when left out. */
      readonly imports?: NonNullable<ModuleMetadata['imports']>;
    } = {},
  ): DynamicModule {
    return {
      module: PushOperatorModule,
      imports: [LedgerOperatorModule, ...(options.imports ?? [SilentObserverModule])],
      providers: [
        ...verbs,
        AcceptanceRepository,
        OperatedAccountRepository,
        WakeDeliveries,
        { provide: CLOCK, useValue: systemClock },
      ],
      exports: [LedgerOperatorModule, ...verbs],
    };
  }
}
