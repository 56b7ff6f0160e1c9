import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { platformQueue, platforms, type QueueName } from '#contracts';
import { CLOCK, systemClock } from '#core';
import { VisibleUsersRepository } from '#guest-access';
import { IdempotencyModule } from '#idempotency';
import { type ConsumedQueue, QUEUE_PREFIX, QueueConsumerModule, QueueModule } from '#queue';
import { TelemetryModule } from '#telemetry';
import { WakeDeliveries } from './accept/wake-deliveries.js';
import { AttemptDelivery } from './deliver/attempt-delivery.js';
import { DeliverItems } from './deliver/deliver-items.js';
import { DeliverNotificationJob } from './deliver/deliver-notification.job.js';
import { DeliveryRecordRepository } from './deliver/delivery-record.repository.js';
import { DeliveryRepository, LEASE_MS } from './deliver/delivery.repository.js';
import { LANE_WIDTH, Lanes, PUSH_TRANSPORTS, type PushTransports } from './deliver/lanes.js';
import { RecordDelivery } from './deliver/record-delivery.js';
import { RepeatDeliveries } from './deliver/repeat-deliveries.js';
import { SendPush } from './deliver/send-push.js';
import { SettleDelivery } from './deliver/settle-delivery.js';
import { TryDeliveries } from './deliver/try-deliveries.js';
import { PUSH_EXTERNAL_URL } from './external-url.js';
import { Gates } from './gate/gates.js';
import { ObservedGates } from './gate/observed-gates.js';
import { PruneWatch } from './gate/prune-watch.js';
import { AccountLogoutJob } from './logout/account-logout.job.js';
import { EnqueueLogout } from './logout/enqueue-logout.js';
import { LogoutRepository } from './logout/logout.repository.js';
import { Withdrawals } from './logout/withdrawals.js';
import { MessageContentRepository } from './messages/message-content.repository.js';
import { PUSH_REDACTS_CONTENT, ReadContent } from './messages/read-content.js';
import { GATE_STATUSES } from './observe/gate-statuses.js';
import { PushObserveModule, workerObservers } from './observe/observe.module.js';
import { CONSUMED_QUEUES } from './observe/worker-reports.js';
import { ForgetOld, RETENTION, type Retention } from './sweep/forget-old.js';
import { RetentionRepository } from './sweep/retention.repository.js';
import { SweepRepository } from './sweep/sweep.repository.js';
import { SWEEP_TIMING, Sweeper, type SweepTiming } from './sweep/sweeper.js';

/** Logouts are short and few. */
const LOGOUTS_AT_A_TIME = 4;
/** A job of what may wait is of up to a hundred devices: few of them fill the lane. */
const BULK_JOBS_AT_A_TIME = 8;
/** An urgent job is of a few devices, and somebody waits for it. */
const URGENT_JOBS_AT_A_TIME = 64;

/** How a worker works. */
export interface PushWorkerOptions {
  readonly redisUrl: string;
  readonly queuePrefix?: string;
  readonly externalUrl: string;
  /** What this process takes jobs from. */
  readonly queues: readonly QueueName[];
  /** How the platforms of the queues are reached. */
  readonly transports: PushTransports;
  /** How many pushes of a platform are under way at the same time at most. */
  readonly concurrency: number;
  /** How long what is being sent belongs to whoever sends it: longer than a push can be under way. */
  readonly leaseMs: number;
  /** Whether notifications of messages say no more than that there is one. */
  readonly redactsContent: boolean;
  readonly sweep: SweepTiming;
  readonly retention: Retention;
  /** Modules that export an ACCOUNT_CHANGE_PUBLISHER. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** Everything that delivers notifications and carries out logouts; needs DatabaseModule. */
@Module({})
export class PushWorkerModule {
  static with(options: PushWorkerOptions): DynamicModule {
    const { redisUrl, prefix } = placeOf(options);
    const work = PushWorkModule.with(options);
    return {
      module: PushWorkerModule,
      imports: [
        QueueModule.connect({ url: redisUrl, prefix }),
        QueueConsumerModule.consume({
          redisUrl,
          ...workOf(options.queues),
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
      imports: [
        ...options.imports,
        PushObserveModule.with(placeOf(options)),
        IdempotencyModule,
        TelemetryModule,
      ],
      providers: [
        AccountLogoutJob,
        AttemptDelivery,
        DeliverItems,
        DeliverNotificationJob,
        DeliveryRecordRepository,
        DeliveryRepository,
        EnqueueLogout,
        ForgetOld,
        Gates,
        Lanes,
        LogoutRepository,
        MessageContentRepository,
        PruneWatch,
        ReadContent,
        RecordDelivery,
        RepeatDeliveries,
        RetentionRepository,
        SendPush,
        SettleDelivery,
        ObservedGates,
        ...workerObservers,
        Sweeper,
        SweepRepository,
        TryDeliveries,
        WakeDeliveries,
        VisibleUsersRepository,
        Withdrawals,
        { provide: CLOCK, useValue: systemClock },
        { provide: CONSUMED_QUEUES, useValue: options.queues },
        { provide: GATE_STATUSES, useExisting: ObservedGates },
        { provide: LANE_WIDTH, useValue: options.concurrency },
        { provide: LEASE_MS, useValue: options.leaseMs },
        { provide: PUSH_EXTERNAL_URL, useValue: new URL(options.externalUrl) },
        { provide: PUSH_REDACTS_CONTENT, useValue: options.redactsContent },
        { provide: PUSH_TRANSPORTS, useValue: options.transports },
        { provide: RETENTION, useValue: options.retention },
        { provide: SWEEP_TIMING, useValue: options.sweep },
      ],
      exports: [AccountLogoutJob, DeliverNotificationJob, Gates, Lanes, PruneWatch, Sweeper],
    };
  }
}

const placeOf = ({ redisUrl, queuePrefix = QUEUE_PREFIX }: PushWorkerOptions) => ({
  redisUrl,
  prefix: queuePrefix,
});

function workOf(names: readonly QueueName[]) {
  const queues: ConsumedQueue[] = names.map((name) => ({ name, concurrency: jobsAtATime(name) }));
  const delivers = names.some((name) => name !== 'push-control');
  const logsOut = names.includes('push-control');
  return {
    queues,
    handlers: [
      ...(delivers ? [DeliverNotificationJob] : []),
      ...(logsOut ? [AccountLogoutJob] : []),
    ],
  };
}

function jobsAtATime(name: QueueName): number {
  if (name === 'push-control') return LOGOUTS_AT_A_TIME;
  const isBulk = platforms.some((platform) => platformQueue(platform, 'bulk') === name);
  return isBulk ? BULK_JOBS_AT_A_TIME : URGENT_JOBS_AT_A_TIME;
}
