import { Get, Query } from '@nestjs/common';
import type { NotificationHistory } from '#push';
import { OpsController } from '../ops-controller.js';
import { AskLedger } from './ask-ledger.js';
import { type SearchQuestion, searchQuestion } from './search.request.js';

/** What happened to a notification, or to those of an account or a device. */
@OpsController('ops/api/notifications')
export class SearchController {
  constructor(private readonly askLedger: AskLedger) {}

  @Get()
  async find(@Query({ schema: searchQuestion }) question: SearchQuestion) {
    const found = await this.askLedger.execute(question);
    return { notifications: found.map(notificationAnswer) };
  }
}

/** Times are UNIX milliseconds, as everywhere below /ops. */
const notificationAnswer = ({
  acceptedAt,
  expiresAt,
  deliveries,
  ...rest
}: NotificationHistory) => ({
  ...rest,
  acceptedAt: +acceptedAt,
  expiresAt: +expiresAt,
  deliveries: deliveries.map(({ history, dueAt, endedAt, ...delivery }) => ({
    ...delivery,
    dueAt: dueAt && +dueAt,
    endedAt: endedAt && +endedAt,
    history: history.map(({ at, reason, next }) => ({ at: +at, reason, next: next && +next })),
  })),
});
