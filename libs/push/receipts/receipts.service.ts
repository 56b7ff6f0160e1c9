import { Injectable } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { RateLimits } from '#platform/rate-limits';
import { Metrics } from '#platform/telemetry';
import { type Receipt, ReceiptRepository } from './receipts.repository.js';

const SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 86_400];

/** Takes what phones say of notifications. It changes no delivery: a phone without receipts is as good as one with them. */
@Injectable()
export class ReceiptsService {
  readonly #seconds;

  constructor(
    private readonly receipts: ReceiptRepository,
    private readonly limits: RateLimits,
    metrics: Metrics,
  ) {
    this.#seconds = metrics.histogram({
      name: 'carillon_push_receipt_seconds',
      help: 'From the acceptance of a notification to what its phone said of it, by the clock of the phone.',
      labels: ['event'],
      bucketSeconds: SECONDS,
    });
  }

  /** Resolves with the number of receipts about notifications of the caller; all of them are of the caller. Rejects with `rateLimited`. */
  async add({ userId }: Caller, receipts: readonly Receipt[]): Promise<number> {
    await this.limits.charge('receipts', String(userId));
    if (receipts.length === 0) return 0;
    const results = await this.receipts.add(receipts);
    const known = results.filter((result) => result !== null);
    for (const { event, seconds } of known) {
      if (seconds !== null) this.#seconds.observe({ event }, seconds);
    }
    return known.length;
  }
}
