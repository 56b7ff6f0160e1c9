import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OutboundProxy } from '#platform/outbound';
import { FeedbackRepository } from './feedback.repository.js';
import { type EndedDelivery, isReported } from './feedback.rules.js';

/** What operators want to learn of ended deliveries. */
export interface FeedbackSettings {
  /** Whether the log has an entry for each delivery that ends otherwise than as delivered. */
  readonly isLogged: boolean;
  /** Null: no webhook. */
  readonly webhook: WebhookSettings | null;
}

/** The receiver of ended deliveries. */
export interface WebhookSettings {
  readonly url: string;
  /** One, or two while one replaces the other. Secret. */
  readonly secrets: readonly string[];
  /** The share of delivered ones that it gets, from 0 to 100. The others it gets all. */
  readonly successPercent: number;
  readonly hasUserIds: boolean;
  /** The time between two looks for events. */
  readonly everyMs: number;
  /** The way to it; left out for a direct one. */
  readonly proxy?: OutboundProxy | undefined;
}

/** DI token of the FeedbackSettings. */
export const FEEDBACK_SETTINGS = Symbol('FeedbackSettings');

/** Tells operators of deliveries that end, in the log and by the webhook. */
@Injectable()
export class PushFeedback {
  readonly #logger = new Logger(PushFeedback.name);

  constructor(
    private readonly events: FeedbackRepository,
    @Inject(FEEDBACK_SETTINGS) private readonly settings: FeedbackSettings,
  ) {}

  /** Whether deliveries that end in this state may be reported: mostly those that are delivered are not. */
  mayReport(state: EndedDelivery['state']): boolean {
    const { isLogged, webhook } = this.settings;
    if (state !== 'delivered') return isLogged || webhook !== null;
    return webhook !== null && webhook.successPercent > 0;
  }

  /**
   * Call it before the end is recorded: a worker that is killed between the two ends the delivery again, and the event is stored
   * once. Rejects when PostgreSQL is down.
   */
  async ended(delivery: EndedDelivery): Promise<void> {
    const { isLogged, webhook } = this.settings;
    if (isLogged && delivery.state !== 'delivered') this.#log(delivery);
    if (webhook !== null && isReported(delivery, webhook.successPercent)) {
      await this.events.add(delivery);
    }
  }

  #log({ id, notificationId, deviceId, appId, state, ...delivery }: EndedDelivery): void {
    this.#logger.log({
      message: 'push.ended',
      id,
      notification_id: notificationId,
      device_id: deviceId,
      app_id: appId,
      outcome: state,
      ...delivery,
    });
  }
}
