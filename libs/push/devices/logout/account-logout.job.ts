import { Inject, Injectable } from '@nestjs/common';
import type { JobHandler, JobPayload } from '#push/jobs';
import type { JobOutcome } from '#platform/queue';
import { LogoutRepository } from './logout.repository.js';

/** Invalidates the cached account of all gateways. */
interface AccountChangePublisher {
  /** Rejects when the gateways cannot be reached. */
  publish(userId: number): Promise<void>;
}

/** DI token of the program's AccountChangePublisher. */
export const ACCOUNT_CHANGE_PUBLISHER = Symbol('AccountChangePublisher');

/**
 * Logs out the devices of an account's older keys, and all devices of a deactivated account. Every change that
 * invalidates cached sign-ins writes this job; where the key stays and the account is active, no device is logged out.
 */
@Injectable()
export class AccountLogoutJob implements JobHandler<'account.logout'> {
  readonly jobName = 'account.logout';

  constructor(
    private readonly logouts: LogoutRepository,
    @Inject(ACCOUNT_CHANGE_PUBLISHER) private readonly changes: AccountChangePublisher,
  ) {}

  /** Removes the outbox entry last: until then the sweeper repeats the job. */
  async handle(logout: JobPayload<'account.logout'>): Promise<JobOutcome> {
    await this.changes.publish(logout.userId);
    await this.logouts.logOut(logout);
    return {};
  }
}
