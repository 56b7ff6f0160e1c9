import { Injectable, Logger } from '@nestjs/common';
import { MessageSender } from '#chat/messages';
import { AccountRepository } from '#directory/auth';
import { ApiError, type Caller } from '#platform/contracts';
import { errorText, LeasedTask, PeriodicService } from '#platform/core';
import {
  type DueMessage,
  type ScheduledMessage,
  ScheduledMessageRepository,
} from './scheduled-message.repository.js';
import { ScheduledMessageFailures } from './scheduled-message-failures.js';
import { TOO_LATE } from './scheduled-messages.rules.js';
import { ScheduledMessageEvents } from './scheduled-messages.events.js';
import { toMessageParts } from './scheduled-messages.service.js';

const PERIOD_MS = 1000;

/** The messages that a process takes at once. */
const BATCH = 20;

/** Longer than sending a batch takes. After it, another process sends the messages of one that died. */
const LEASE_MS = 30_000;

/** A message that is later than this would surprise its readers: it is marked as failed, with an event. */
const LATEST_MS = 10 * 60 * 1000;

/** The message was changed, sent or deleted while it was being sent. */
class Outdated extends Error {}

/**
 * Sends scheduled messages at their time. Every gateway looks for them once a second. The row of the message is deleted in
 * the transaction that stores the message, so that it is sent once, whichever process dies.
 */
@Injectable()
export class ScheduledMessagesDelivery extends PeriodicService {
  readonly #logger = new Logger(ScheduledMessagesDelivery.name);
  protected readonly task = new LeasedTask<DueMessage>({
    periodMs: PERIOD_MS,
    batch: BATCH,
    lease: (most) => this.messages.lease(most, LEASE_MS),
    handle: (due) => this.#sendAll(due),
    failure: 'Scheduled messages were not sent',
    logger: this.#logger,
  });

  constructor(
    private readonly messages: ScheduledMessageRepository,
    private readonly events: ScheduledMessageEvents,
    private readonly sender: MessageSender,
    private readonly failures: ScheduledMessageFailures,
    private readonly accounts: AccountRepository,
  ) {
    super();
  }

  async #sendAll(due: readonly DueMessage[]): Promise<void> {
    for (const message of due) {
      if (this.task.isStopping) return;
      await this.#send(message);
    }
  }

  /** A message that was not sent because a store was down is tried again after its lease. */
  async #send(message: DueMessage): Promise<void> {
    const author = await this.accounts.findActive(message.userId);
    if (author === null) {
      await this.failures.store(null, message, '');
      return;
    }
    if (message.lateMs > LATEST_MS) {
      await this.failures.store(author, message, TOO_LATE);
      return;
    }
    try {
      await this.#deliver(author, message);
    } catch (error) {
      if (error instanceof Outdated) return;
      if (isRefusal(error)) await this.failures.store(author, message, errorText(error));
      else this.#logger.warn(`The scheduled message ${message.id} waits: ${errorText(error)}`);
    }
  }

  async #deliver(author: Caller, message: ScheduledMessage): Promise<void> {
    const { client, isReadBySender } = message;
    await this.sender.send(author, {
      ...toMessageParts(message),
      client,
      isReadBySender,
      beforeStore: async (transaction) => {
        if (!(await this.messages.claim(transaction, message))) throw new Outdated();
        this.events.removed(transaction, author, message.id);
      },
    });
  }
}

/** Whether the message can never be sent as it is. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.error.status < 500;
