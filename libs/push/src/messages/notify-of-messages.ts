import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Session } from '#database';
import type { MessageNotifier, NewMessage, ReadOnScreen } from '#messages';
import { currentTraceParent } from '#telemetry';
import type { AcceptedDeliveries } from '../accept/accepted-deliveries.js';
import { WakeDeliveries } from '../accept/wake-deliveries.js';
import { TIME_TO_LIVE, type TimeToLive } from '../time-to-live.js';
import { type Keeping, MessageNotificationRepository } from './message-notification.repository.js';
import { removalsOf } from './removals.rules.js';

/** Puts notifications of messages, and what takes them back, into the ledger and then on their way. */
@Injectable()
export class NotifyOfMessages implements MessageNotifier {
  readonly #logger = new Logger(NotifyOfMessages.name);

  constructor(
    private readonly notifications: MessageNotificationRepository,
    private readonly wake: WakeDeliveries,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {}

  async stored(session: Session, message: NewMessage): Promise<() => void> {
    const keeping = this.#keeping(this.timeToLive.message);
    return this.#waking(await this.notifications.notify(session, message, keeping));
  }

  async read(session: Session, messages: readonly ReadOnScreen[]): Promise<() => void> {
    const keeping = this.#keeping(this.timeToLive.remove);
    const removals = removalsOf(messages);
    return this.#waking(await this.notifications.takeBack(session, removals, keeping));
  }

  #keeping(timeToLiveMs: number): Keeping {
    return { timeToLiveMs, traceParent: currentTraceParent() };
  }

  /** Nobody waits for the queues: what they do not get is found in the ledger. */
  #waking(accepted: readonly AcceptedDeliveries[]): () => void {
    return () => {
      this.#wake(accepted).catch((error: unknown) =>
        this.#logger.error(`Accepted notifications wait for the sweeper: ${String(error)}`),
      );
    };
  }

  async #wake(accepted: readonly AcceptedDeliveries[]): Promise<void> {
    await this.wake.execute(accepted);
  }
}
