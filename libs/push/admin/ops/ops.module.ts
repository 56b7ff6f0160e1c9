import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { RealmsModule } from '#directory/realms';
import { EventStatusModule } from '#events/status';
import { OperatorActionsModule } from '#platform/operator-actions';
import { QueueBoardModule } from '#platform/queue';
import { ServerStopsModule } from '#push/tenants';
import { PipelineStatusService } from '../overview/pipeline-status.service.js';
import { ActionsController } from './actions.controller.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { PageController } from './page/page.controller.js';
import { PipelineController } from './pipeline.controller.js';
import { SearchController } from './search.controller.js';
import { ServersController } from './servers.controller.js';
import {
  OperatorAuthenticator,
  OPS_OPTIONS,
  type OpsOptions,
} from './sign-in/operator-authenticator.js';
import { SignInController } from './sign-in/sign-in.controller.js';

/** The operator's page; needs DatabaseModule, QueueModule and RedisModule. */
@Module({})
export class OpsModule {
  static with(
    options: OpsOptions & {
      /** Modules that export RateLimits, PipelineReader, PushLedgerModule, PushOperatorService and UserRepository. */
      readonly imports: NonNullable<ModuleMetadata['imports']>;
    },
  ): DynamicModule {
    const { token, externalUrl, imports } = options;
    return {
      module: OpsModule,
      imports: [
        ...imports,
        EventStatusModule,
        OperatorActionsModule.of('ops'),
        QueueBoardModule,
        RealmsModule,
        ServerStopsModule,
      ],
      controllers: [
        ActionsController,
        DeadLettersController,
        PageController,
        PipelineController,
        SearchController,
        ServersController,
        SignInController,
      ],
      providers: [
        OperatorAuthenticator,
        PipelineStatusService,
        { provide: OPS_OPTIONS, useValue: { token, externalUrl } satisfies OpsOptions },
      ],
      exports: [OperatorAuthenticator],
    };
  }
}
