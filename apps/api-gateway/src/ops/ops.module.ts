import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { LookAtPipeline } from '#push';
import { QueueBoardModule } from '#queue';
import { RealmRepository } from '#realms';
import { UserRepository } from '#users';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { OverviewController } from './overview/overview.controller.js';
import { PageController } from './page/page.controller.js';
import { PlatformsController } from './platforms/platforms.controller.js';
import { AskLedger } from './search/ask-ledger.js';
import { SearchController } from './search/search.controller.js';
import { OperatorGate } from './sign-in/operator-gate.js';
import { OPS_OPTIONS, type OpsOptions } from './sign-in/ops-options.js';
import { SignInController } from './sign-in/sign-in.controller.js';

/** The operator's page; needs DatabaseModule and QueueModule. */
@Module({})
export class OpsModule {
  static with(
    options: OpsOptions & {
      /** Modules that export RateLimits, PushOverview and what an operator does with the pipeline. */
      readonly imports: NonNullable<ModuleMetadata['imports']>;
    },
  ): DynamicModule {
    const { token, externalUrl, imports } = options;
    return {
      module: OpsModule,
      imports: [...imports, QueueBoardModule],
      controllers: [
        DeadLettersController,
        OverviewController,
        PageController,
        PlatformsController,
        SearchController,
        SignInController,
      ],
      providers: [
        AskLedger,
        LookAtPipeline,
        OperatorGate,
        RealmRepository,
        UserRepository,
        { provide: CLOCK, useValue: systemClock },
        { provide: OPS_OPTIONS, useValue: { token, externalUrl } satisfies OpsOptions },
      ],
      exports: [OperatorGate],
    };
  }
}
