import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { AcceptanceRepository, DeliveryQueue } from '#push/notifications';
import {
  CompositePushObserver,
  PipelineReader,
  PUSH_OBSERVER,
  PushActivityStore,
  PushBacklog,
} from '#push/observability';
import { DeadLetterRepository } from './dead-letter.repository.js';
import { NotificationHistoryRepository } from './notification-history.repository.js';
import { NotificationFactsRepository } from './explain/notification-facts.repository.js';
import { OperatedAccountRepository } from './operated-account.repository.js';
import { PipelineStatusService } from './overview/pipeline-status.service.js';
import { PlatformPauses } from './platform-pauses.js';
import { PushLedgerService } from './push-ledger.service.js';
import { PushOperatorService } from './push-operator.service.js';

/** The ledger for operators, also while Redis is down; needs DatabaseModule and OperatorActionsModule. */
@Module({
  providers: [
    DeadLetterRepository,
    NotificationFactsRepository,
    NotificationHistoryRepository,
    PushLedgerService,
  ],
  exports: [DeadLetterRepository, PushLedgerService],
})
export class PushLedgerModule {}

/** For a short-lived program, which accepts no notifications of its own and exports no metrics. */
@Module({
  providers: [
    AcceptanceRepository,
    DeliveryQueue,
    { provide: PUSH_OBSERVER, useValue: new CompositePushObserver([]) },
  ],
  exports: [AcceptanceRepository, DeliveryQueue],
})
class UnobservedQueueModule {}

/** The commands of an operator; needs DatabaseModule, OperatorActionsModule and QueueModule. */
@Module({})
export class PushOperatorModule {
  static with(
    options: {
      /** Modules that export the program's AcceptanceRepository and DeliveryQueue; left out in a program without them. */
      readonly imports?: NonNullable<ModuleMetadata['imports']>;
    } = {},
  ): DynamicModule {
    return {
      module: PushOperatorModule,
      imports: [PushLedgerModule, ...(options.imports ?? [UnobservedQueueModule])],
      providers: [OperatedAccountRepository, PlatformPauses, PushOperatorService],
      exports: [PlatformPauses, PushLedgerModule, PushOperatorService],
    };
  }
}

/**
 * The status of the pipeline for a program that takes no part in it; needs DatabaseModule, OperatorActionsModule, QueueModule
 * and RedisModule.
 */
@Module({
  imports: [PushLedgerModule],
  providers: [PipelineReader, PipelineStatusService, PushActivityStore, PushBacklog],
  exports: [PipelineStatusService],
})
export class PipelineStatusModule {}
