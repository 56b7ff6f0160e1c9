import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { platformQueue, platforms } from '#contracts';
import { CLOCK, systemClock } from '#core';
import { QueueConsumerModule, QueueModule } from '#queue';
import { WakeDeliveries } from './accept/wake-deliveries.js';
import { DeliverNotificationJob } from './deliver/deliver-notification.job.js';
import { DeliverToDevice, PUSH_EXTERNAL_URL } from './deliver/deliver-to-device.js';
import { DeliveryRepository } from './deliver/delivery.repository.js';
import { LANE_WIDTH, Lanes, PUSH_TRANSPORTS, type PushTransports } from './deliver/lanes.js';
import { RecordDelivery } from './deliver/record-delivery.js';
import { AccountLogoutJob } from './logout/account-logout.job.js';
import { EnqueueLogout } from './logout/enqueue-logout.js';
import { LogoutRepository } from './logout/logout.repository.js';
import { Withdrawals } from './logout/withdrawals.js';
import { SweepRepository } from './sweep/sweep.repository.js';
import { SWEEP_TIMING, Sweeper, type SweepTiming } from './sweep/sweeper.js';

/** Logouts are short and few. */
const LOGOUTS_AT_A_TIME = 4;

/** How a worker works. */
export interface PushWorkerOptions {
  readonly redisUrl: string;
  readonly queuePrefix?: string;
  readonly externalUrl: string;
  /** The platforms that this process serves, and how. */
  readonly transports: PushTransports;
  /** How many pushes of a platform are under way at the same time at most. */
  readonly concurrency: number;
  readonly sweep: SweepTiming;
  /** Modules that export an ACCOUNT_CHANGE_PUBLISHER. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** Everything that delivers notifications and carries out logouts; needs DatabaseModule. */
@Module({})
export class PushWorkerModule {
  static with(options: PushWorkerOptions): DynamicModule {
    const { redisUrl: url, queuePrefix: prefix } = options;
    const work = PushWorkModule.with(options);
    return {
      module: PushWorkerModule,
      imports: [
        QueueModule.connect(prefix === undefined ? { url } : { url, prefix }),
        QueueConsumerModule.consume({
          redisUrl: url,
          ...workOf(options),
          imports: [work],
        }),
        work,
      ],
      exports: [work],
    };
  }
}

/** What the jobs are carried out with. */
@Module({})
class PushWorkModule {
  static with(options: PushWorkerOptions): DynamicModule {
    return {
      module: PushWorkModule,
      imports: options.imports,
      providers: [
        AccountLogoutJob,
        DeliverNotificationJob,
        DeliverToDevice,
        DeliveryRepository,
        EnqueueLogout,
        Lanes,
        LogoutRepository,
        RecordDelivery,
        Sweeper,
        SweepRepository,
        WakeDeliveries,
        Withdrawals,
        { provide: CLOCK, useValue: systemClock },
        { provide: LANE_WIDTH, useValue: options.concurrency },
        { provide: PUSH_EXTERNAL_URL, useValue: new URL(options.externalUrl) },
        { provide: PUSH_TRANSPORTS, useValue: options.transports },
        { provide: SWEEP_TIMING, useValue: options.sweep },
      ],
      exports: [AccountLogoutJob, DeliverNotificationJob, Lanes, Sweeper],
    };
  }
}

/** Every worker carries out logouts; without a platform that is all it does. */
function workOf({ transports, concurrency }: PushWorkerOptions) {
  const served = platforms.filter((platform) => transports[platform] !== undefined);
  const control = { name: 'push-control', concurrency: LOGOUTS_AT_A_TIME } as const;
  const queues = served.map((platform) => ({ name: platformQueue(platform), concurrency }));
  return {
    queues: [...queues, control],
    handlers: served.length > 0 ? [DeliverNotificationJob, AccountLogoutJob] : [AccountLogoutJob],
  };
}
