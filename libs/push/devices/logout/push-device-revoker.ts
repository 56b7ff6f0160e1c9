import { Injectable, Logger } from '@nestjs/common';
import type { DeviceRevoker, LogoutOutboxEntry } from '#directory/auth';
import { JobQueues } from '#platform/queue';
import { PushRevocations } from '#push/revocations';
import type { PushJobs } from '#push/jobs';

/**
 * Revokes the devices of a replaced key, and those of a deactivated account: in all workers at once, and in PostgreSQL by a
 * job.
 */
@Injectable()
export class PushDeviceRevoker implements DeviceRevoker {
  readonly #logger = new Logger(PushDeviceRevoker.name);

  constructor(
    private readonly queues: JobQueues<PushJobs>,
    private readonly revocations: PushRevocations,
  ) {}

  /** See DeviceRevoker and PushRevocations. Never rejects. */
  async revoke(logout: LogoutOutboxEntry): Promise<void> {
    await Promise.all([this.enqueue(logout), this.revocations.revokeOlderKeys(logout)]);
  }

  /** Adds the job of an outbox entry, unless it is in the queue. Never rejects: the sweeper repeats it. */
  async enqueue({ outboxId, userId, keyGeneration }: LogoutOutboxEntry): Promise<void> {
    try {
      await this.queues.enqueue('push-control', {
        name: 'account.logout',
        jobId: `outbox-${outboxId}`,
        payload: { v: 1, outboxId, userId, keyGeneration },
      });
    } catch (error) {
      this.#logger.debug(`A logout waits for the sweeper: ${String(error)}`);
    }
  }

  /** See DeviceRevoker and PushRevocations. Never rejects. */
  async stopDeliveries(userIds: readonly number[]): Promise<void> {
    await this.revocations.revokeAccounts(userIds);
  }
}
