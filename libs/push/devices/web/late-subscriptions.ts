import { Injectable } from '@nestjs/common';
import { WebPushRepository } from './web-push.repository.js';

const PAGE = 1000;

/** Removes the subscriptions of Web Push that were not confirmed in time. A task of the hourly clean-up. */
@Injectable()
export class LateSubscriptions {
  constructor(private readonly subscriptions: WebPushRepository) {}

  /** Rejects when PostgreSQL is down. */
  async removeStale(): Promise<void> {
    let removed = PAGE;
    while (removed === PAGE) removed = await this.subscriptions.removeAllLate(PAGE);
  }
}
