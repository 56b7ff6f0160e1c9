import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { LogoutOutboxEntry } from '#directory/auth';
import { QUEUE_OPTIONS, type QueueOptions } from '#platform/queue';
import { PubSub } from '#platform/redis';
import {
  deactivatedAccounts,
  removedDevices,
  replacedKeys,
  type RevocationKind,
  stoppedServers,
} from './revocation-topics.js';

/** A revocation waits no longer for a worker that has died, or for a provider that does not answer it. */
const ACK_DEADLINE_MS = 500;

/** DI token of another deadline, in milliseconds, for tests that must not depend on the speed of the machine. */
export const REVOCATION_DEADLINE_MS = Symbol('RevocationDeadlineMs');

/**
 * Notifies all workers of revoked pushes, since a worker may have read their deliveries before the change.
 *
 * The methods are called after the commit of the change. When one resolves, no worker starts another push that is revoked,
 * and the pushes in flight are answered; unless Redis is down or a worker is too slow. They never reject.
 */
@Injectable()
export class PushRevocations {
  readonly #logger = new Logger(PushRevocations.name);

  constructor(
    private readonly pubSub: PubSub,
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
    @Optional()
    @Inject(REVOCATION_DEADLINE_MS)
    private readonly deadlineMs = ACK_DEADLINE_MS,
  ) {}

  /** Revokes the pushes to devices of the older keys. */
  async revokeOlderKeys({ outboxId, userId, keyGeneration }: LogoutOutboxEntry): Promise<void> {
    await this.#publish(replacedKeys, { v: 1, outboxId, userId, keyGeneration });
  }

  /** Revokes the pushes to accounts that were deactivated. */
  async revokeAccounts(userIds: readonly number[]): Promise<void> {
    await this.#publish(deactivatedAccounts, { v: 1, id: randomUUID(), userIds: [...userIds] });
  }

  /** Revokes the pushes to devices that were removed. */
  async revokeDevices(deviceIds: readonly number[]): Promise<void> {
    await this.#publish(removedDevices, { v: 1, id: randomUUID(), deviceIds: [...deviceIds] });
  }

  /** Revokes the pushes of a server or an organisation at the push service, by the id of its row. */
  async revokeSender(kind: 'server' | 'realm', rowId: number): Promise<void> {
    await this.#publish(stoppedServers, { v: 1, id: randomUUID(), kind, senderId: rowId });
  }

  async #publish<Message>(kind: RevocationKind<Message>, message: NoInfer<Message>): Promise<void> {
    if (kind.revokedBy(message).length === 0) return;
    const { prefix } = this.options;
    const topic = kind.topicOf(prefix);
    try {
      const acks = kind.acksOf(prefix, message);
      if (await this.pubSub.publishAcknowledged(topic, message, acks, this.deadlineMs)) return;
      this.#logger.warn(`Not every worker has acknowledged a message in time: ${topic.name}`);
    } catch (error) {
      this.#logger.debug(`A message was not published to the workers: ${String(error)}`);
    }
  }
}
