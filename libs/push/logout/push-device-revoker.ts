import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { DeviceRevoker, LogoutOutboxEntry } from '#directory/auth';
import { JobQueues, PubSub, type Topic } from '#platform/queue';
import {
  deactivationAcks,
  deactivations,
  keyRevocations,
  type RevocationAck,
  revocationAcks,
} from './revoked-keys.js';

/** A key change or a deactivation waits no longer for a worker that has died, or for a provider that does not answer it. */
const ACK_DEADLINE_MS = 500;

/**
 * Revokes the devices of a replaced key, and those of a deactivated account: in all workers at once, and in PostgreSQL by a
 * job.
 */
@Injectable()
export class PushDeviceRevoker implements DeviceRevoker {
  readonly #logger = new Logger(PushDeviceRevoker.name);

  constructor(
    private readonly queues: JobQueues,
    private readonly pubSub: PubSub,
  ) {}

  /**
   * When it resolves, no worker starts another push for the old key, and the pushes in flight are
   * answered; unless Redis is down or a worker is too slow. Never rejects.
   */
  async revoke(logout: LogoutOutboxEntry): Promise<void> {
    const acks = revocationAcks(logout.outboxId);
    await Promise.all([
      this.enqueue(logout),
      this.#publish(keyRevocations, { v: 1, ...logout }, acks),
    ]);
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

  /**
   * When it resolves, no worker starts another push to devices of the accounts, and the pushes in flight are answered;
   * unless Redis is down or a worker is too slow. Never rejects.
   */
  async stopDeliveries(userIds: readonly number[]): Promise<void> {
    const id = randomUUID();
    await this.#publish(deactivations, { v: 1, id, userIds: [...userIds] }, deactivationAcks(id));
  }

  async #publish<Message>(
    topic: Topic<Message>,
    message: Message,
    acks: Topic<RevocationAck>,
  ): Promise<void> {
    try {
      if (await this.pubSub.publishAcknowledged(topic, message, acks, ACK_DEADLINE_MS)) return;
      this.#logger.warn(`Not every worker has acknowledged a message in time: ${topic.name}`);
    } catch (error) {
      this.#logger.debug(`A message was not published to the workers: ${String(error)}`);
    }
  }
}
