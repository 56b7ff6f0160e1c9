import { Injectable } from '@nestjs/common';
import { type Platform, platforms } from '#push/jobs';
import { type Indexed, TransientSet } from '#platform/core';
import { isTracing, Metrics, withSpan } from '#platform/telemetry';
import type { ProviderAnswer } from '#push/providers';

const ANSWER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** One attempt to send, as traces show it. */
export interface TrackedAttempt {
  readonly platform: Platform;
  readonly notificationId: string;
  /** 1 for the first attempt of the push. */
  readonly number: number;
  /** Of the request that caused the notification; null if it was not traced. */
  readonly traceParent: string | null;
}

interface Sent extends Indexed {
  /** A time of `performance.now()`. */
  readonly startedAt: number;
}

/** Tracks the pushes in flight: their number, their age, and a span for each. */
@Injectable()
export class InFlightPushes {
  readonly #pushes = {
    apns: new TransientSet<Sent>(),
    fcm: new TransientSet<Sent>(),
    web: new TransientSet<Sent>(),
  };
  readonly #answers;

  constructor(metrics: Metrics) {
    this.#answers = metrics.histogram({
      name: 'carillon_push_provider_seconds',
      help: 'From handing a push to the transport to its result.',
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
          value: this.#pushes[platform].size,
        })),
    );
  }

  /** Pushes that wait for an answer, of all platforms. */
  get count(): number {
    return platforms.reduce((sum, platform) => sum + this.#pushes[platform].size, 0);
  }

  /** When the oldest push in flight was sent, in UNIX milliseconds like `now`; null when none is. */
  oldestSince(platform: Platform, now: number): number | null {
    const pushes = this.#pushes[platform];
    if (pushes.size === 0) return null;
    const oldest = Math.min(...Array.from(pushes, ({ startedAt }) => startedAt));
    return Math.round(now - performance.now() + oldest);
  }

  /** Settles as `send` does. */
  async track(
    attempt: TrackedAttempt,
    send: () => Promise<ProviderAnswer>,
  ): Promise<ProviderAnswer> {
    const { platform } = attempt;
    const sent: Sent = { startedAt: performance.now(), index: 0 };
    this.#pushes[platform].add(sent);
    try {
      const answer = await (isTracing() ? traced(attempt, send) : send());
      const seconds = (performance.now() - sent.startedAt) / 1000;
      this.#answers.observe({ platform, answer: answer.kind }, seconds);
      return answer;
    } finally {
      this.#pushes[platform].delete(sent);
    }
  }
}

const traced = (
  { platform, notificationId, number, traceParent }: TrackedAttempt,
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
        'carillon.push.attempt': number,
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
