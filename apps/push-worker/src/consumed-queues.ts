import { platformQueue, platforms, type QueueName } from '#push/jobs';
import type { ConsumedQueue } from '#platform/queue';
import { DeliveryJob } from '#push/delivery';
import { AccountLogoutJob, DeviceRegistrationJob } from '#push/devices';
import { MessageFanOutJob, RemovalPageJob } from '#push/notifications';
import { TokenChangesJob } from '#push/relay';
import { TenantDeliveryJob } from '#push/tenants';

/** The jobs are short, or divided into short turns. */
const CONTROL_CONCURRENCY = 4;
/** A bulk job has up to a hundred devices: few of them fill the lane. */
const BULK_CONCURRENCY = 8;
/** An urgent job has a few devices. */
const URGENT_CONCURRENCY = 64;

/** The queues that a worker consumes, and the handlers of their jobs. */
export function consumedQueuesOf(names: readonly QueueName[]) {
  const queues: ConsumedQueue<QueueName>[] = names.map((name) => ({
    name,
    concurrency: concurrencyOf(name),
  }));
  const delivers = names.some((name) => name !== 'push-control');
  const isControlled = names.includes('push-control');
  return {
    queues,
    handlers: [
      ...(delivers ? [DeliveryJob, TenantDeliveryJob] : []),
      ...(isControlled
        ? [
            AccountLogoutJob,
            DeviceRegistrationJob,
            MessageFanOutJob,
            RemovalPageJob,
            TokenChangesJob,
          ]
        : []),
    ],
  };
}

function concurrencyOf(name: QueueName): number {
  if (name === 'push-control') return CONTROL_CONCURRENCY;
  const isBulk = platforms.some((platform) => platformQueue(platform, 'bulk') === name);
  return isBulk ? BULK_CONCURRENCY : URGENT_CONCURRENCY;
}
