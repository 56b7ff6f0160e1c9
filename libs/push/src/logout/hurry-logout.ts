import { Injectable, Logger } from '@nestjs/common';
import type { LogoutHurrier, PromisedLogout } from '#auth';
import { Messages } from '#queue';
import { EnqueueLogout } from './enqueue-logout.js';
import { heardTopic, withdrawals } from './withdrawal.js';

/** A key change waits no longer for a worker that is gone, or for a provider that does not answer it. */
const HEARD_DEADLINE_MS = 500;

/**
 * Gets a promised logout done soon, and sees to it that no worker puts a push for the old key on the
 * wire any more: all are told, and say so when what they had sent before has been answered.
 */
@Injectable()
export class HurryLogout implements LogoutHurrier {
  readonly #logger = new Logger(HurryLogout.name);

  constructor(
    private readonly enqueueLogout: EnqueueLogout,
    private readonly messages: Messages,
  ) {}

  /** Never rejects, and takes no longer than Redis and the slowest worker are given. */
  async hurry(logout: PromisedLogout): Promise<void> {
    await Promise.all([this.enqueueLogout.execute(logout), this.#withdraw(logout)]);
  }

  async #withdraw(logout: PromisedLogout): Promise<void> {
    try {
      const listener = await this.messages.listen(heardTopic(logout.outboxId));
      try {
        const workers = await this.messages.tell(withdrawals, { v: 1, ...logout });
        const heard = await listener.hear(workers, HEARD_DEADLINE_MS);
        if (heard.length < workers)
          this.#logger.warn('Not every worker has heard of a logout in time');
      } finally {
        listener.close();
      }
    } catch (error) {
      this.#logger.debug(`The workers have not been told of a logout: ${String(error)}`);
    }
  }
}
