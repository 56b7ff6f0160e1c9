import { Injectable } from '@nestjs/common';
import type { JobPayload } from '#platform/contracts';
import type { JobHandler, JobOutcome } from '#platform/queue';
import { TokenChanges } from './token-changes.js';

/** Sends the changes of the phones of an account to the push service. Those that fail are due again later. */
@Injectable()
export class TokenChangesJob implements JobHandler<'account.relay'> {
  readonly jobName = 'account.relay';

  constructor(private readonly changes: TokenChanges) {}

  /** Rejects only when PostgreSQL is down. */
  async handle({ userId }: JobPayload<'account.relay'>): Promise<JobOutcome> {
    await this.changes.send(userId);
    return {};
  }
}
