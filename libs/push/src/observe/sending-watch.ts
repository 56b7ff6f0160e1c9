import { Injectable } from '@nestjs/common';
import { type Platform, platforms } from '#contracts';
import type { ProviderAnswer } from '#push-transport';
import { isTracing, Metrics, withSpan } from '#telemetry';

const ANSWER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** One attempt to send, as it may be told of. */
export interface WatchedAttempt {
  readonly platform: Platform;
  readonly notificationId: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Of the request that the notification came with; null when it was not traced. */
  readonly traceParent: string | null;
}

interface Sent {
  readonly startedAt: number;
}

/** Watches what is under way to the providers: how much, for how long, and as a part of its trace. */
@Injectable()
export class SendingWatch {
  /** When each was handed over, by the clock of `performance`; the oldest first. */
  readonly #sending = { apns: new Set<Sent>(), fcm: new Set<Sent>() };
  readonly #answers;

  constructor(metrics: Metrics) {
    this.#answers = metrics.histogram({
      name: 'carillon_push_provider_seconds',
      help: 'From handing a push to the transport to what came of it.',
      labels: ['platform', 'answer'],
      bucketSeconds: ANSWER_SECONDS,
    });
    metrics.gauge(
      {
        name: 'carillon_push_in_flight',
        help: 'Pushes that wait for the answer of their provider, in this process.',
        labels: ['platform'],
      },
      () =>
        platforms.map((platform) => ({
          labels: { platform },
          value: this.#sending[platform].size,
        })),
    );
  }

  /** Pushes that wait for an answer, of all platforms. */
  get inFlight(): number {
    return platforms.reduce((sum, platform) => sum + this.#sending[platform].size, 0);
  }

  /** When the oldest that still waits was handed over; null when none waits. In UNIX milliseconds, like `now`. */
  oldestSince(platform: Platform, now: number): number | null {
    const [oldest] = this.#sending[platform];
    return oldest === undefined ? null : Math.round(now - performance.now() + oldest.startedAt);
  }

  /** Sends by `send`, and settles as it does. */
  async watch(
    attempt: WatchedAttempt,
    send: () => Promise<ProviderAnswer>,
  ): Promise<ProviderAnswer> {
    const { platform } = attempt;
    const sent: Sent = { startedAt: performance.now() };
    this.#sending[platform].add(sent);
    try {
      const answer = await (isTracing() ? traced(attempt, send) : send());
      const seconds = (performance.now() - sent.startedAt) / 1000;
      this.#answers.observe({ platform, answer: answer.kind }, seconds);
      return answer;
    } finally {
      this.#sending[platform].delete(sent);
    }
  }
}

const traced = (
  { platform, notificationId, attempt, traceParent }: WatchedAttempt,
  send: () => Promise<ProviderAnswer>,
): Promise<ProviderAnswer> =>
  withSpan(
    `push ${platform}`,
    {
      parent: traceParent,
      kind: 'client',
      attributes: {
        'carillon.push.platform': platform,
        'carillon.push.notification.id': notificationId,
        'carillon.push.attempt': attempt,
      },
    },
    async (span) => {
      const answer = await send();
      span.set({ 'carillon.push.outcome': answer.kind });
      if (answer.kind !== 'accepted') span.fail(reasonOf(answer));
      return answer;
    },
  );

function reasonOf(answer: Exclude<ProviderAnswer, { kind: 'accepted' }>): string {
  switch (answer.kind) {
    case 'refused':
      return answer.reason ?? `status ${answer.status}`;
    case 'withdrawn':
      return 'withdrawn';
    default:
      return answer.reason;
  }
}
