import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import {
  backoffMs,
  type Clock,
  errorText,
  LeasedTask,
  PeriodicService,
  systemClock,
  VERSION,
} from '#platform/core';
import { type OutboundFetch, outboundFetch } from '#platform/outbound';
import { FeedbackRepository, type StoredEvent } from './feedback.repository.js';
import { type FeedbackEvent, signatureOf } from './feedback.rules.js';
import { FEEDBACK_SETTINGS, type FeedbackSettings, type WebhookSettings } from './push-feedback.js';

const BATCH = 100;
const DEADLINE_MS = 10_000;
const BACKOFF = { firstMs: 1000, maxMs: 600_000 };

/** Posts ended deliveries to the receiver of the operator, each at least once. */
@Injectable()
export class FeedbackWebhook extends PeriodicService {
  readonly #fetch: OutboundFetch;
  #failures = 0;
  /** Nothing is posted before; UNIX milliseconds. */
  #pausedUntil = 0;
  protected readonly task: LeasedTask<StoredEvent>;

  constructor(
    private readonly events: FeedbackRepository,
    @Inject(FEEDBACK_SETTINGS) private readonly settings: FeedbackSettings,
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    super();
    // A connection to keep would be idle most of the time.
    this.#fetch = outboundFetch(settings.webhook?.proxy, { keepAlive: false });
    this.task = new LeasedTask<StoredEvent>({
      periodMs: settings.webhook?.everyMs ?? Infinity,
      batch: BATCH,
      lease: async (limit) => (this.clock() < this.#pausedUntil ? [] : this.events.lease(limit)),
      handle: (rows) => this.#post(rows),
      failure: 'Ended deliveries could not be posted',
      logger: new Logger(FeedbackWebhook.name),
    });
  }

  override onSchemaReady(): void {
    if (this.settings.webhook !== null) super.onSchemaReady();
  }

  /** Rejects if the receiver has not taken the events. */
  async #post(events: readonly StoredEvent[]): Promise<void> {
    const { webhook } = this.settings;
    if (webhook === null) return;
    try {
      await this.#send(webhook, events);
    } catch (error) {
      this.#failures += 1;
      this.#pausedUntil = this.clock() + backoffMs(this.#failures, BACKOFF);
      await this.events.giveBack(events.map(({ id }) => id));
      throw error;
    }
    this.#failures = 0;
    await this.events.remove(events.map(({ id }) => id));
  }

  async #send(webhook: WebhookSettings, events: readonly StoredEvent[]): Promise<void> {
    const body = JSON.stringify({ events: events.map((event) => shown(event, webhook)) });
    const seconds = Math.floor(this.clock() / 1000);
    const url = new URL(webhook.url);
    const { status, body: answer } = await this.#fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'carillon-signature': signatureOf(body, webhook.secrets, seconds),
        'user-agent': `Carillon/${VERSION}`,
      },
      signal: AbortSignal.timeout(DEADLINE_MS),
    }).catch((error: unknown) => {
      throw new Error(`${url.host}: ${errorText(error)}`, { cause: error });
    });
    // The status is the answer.
    await answer?.cancel();
    if (status < 200 || status > 299) throw new Error(`${url.host} answered ${status}`);
  }
}

const shown = (
  { user_id: userId, ...event }: StoredEvent,
  { hasUserIds }: WebhookSettings,
): FeedbackEvent => ({ ...event, ...(hasUserIds && userId !== null && { user_id: userId }) });
