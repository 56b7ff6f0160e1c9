import { Inject, Injectable } from '@nestjs/common';
import { inPages, RETENTION, type Retention, type SweepTask } from '#push/delivery';
import { ReceiptRepository } from './receipts.repository.js';

/** Removes receipts with the notifications that they are about. */
@Injectable()
export class ReceiptsSweep implements SweepTask {
  constructor(
    private readonly receipts: ReceiptRepository,
    @Inject(RETENTION) private readonly retention: Retention,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    await inPages((limit) => this.receipts.forget(this.retention.historyMs, limit));
  }
}
