import { Module } from '@nestjs/common';
import { DeadLetterRepository } from './dead-letter.repository.js';
import { DeadLetters } from './dead-letters.js';
import { DismissDeadLetters } from './dismiss-dead-letters.js';
import { FindNotifications } from './find-notifications.js';
import { NotificationHistoryRepository } from './notification-history.repository.js';

/** What an operator does with the ledger alone, also while Redis is away; needs DatabaseModule. */
@Module({
  providers: [
    DeadLetterRepository,
    DeadLetters,
    DismissDeadLetters,
    FindNotifications,
    NotificationHistoryRepository,
  ],
  exports: [DeadLetterRepository, DeadLetters, DismissDeadLetters, FindNotifications],
})
export class LedgerOperatorModule {}
