import { Inject, Injectable } from '@nestjs/common';
import type { JobPayload } from '#contracts';
import type { JobHandler, JobOutcome } from '#queue';
import { LogoutRepository } from './logout.repository.js';

/** Tells every gateway that what it remembers of an account is no longer so. */
export interface AccountChangePublisher {
  /** Rejects when they cannot be told. */
  publish(userId: number): Promise<void>;
}

/** DI token of the program's AccountChangePublisher. */
export const ACCOUNT_CHANGE_PUBLISHER = Symbol('AccountChangePublisher');

/** Carries out the logout that a new API key brings with it. */
@Injectable()
export class AccountLogoutJob implements JobHandler<'account.logout'> {
  readonly jobName = 'account.logout';

  constructor(
    private readonly logouts: LogoutRepository,
    @Inject(ACCOUNT_CHANGE_PUBLISHER) private readonly changes: AccountChangePublisher,
  ) {}

  /** The promise is struck off last: until then it is kept, and done again. */
  async handle(logout: JobPayload<'account.logout'>): Promise<JobOutcome> {
    await this.changes.publish(logout.userId);
    await this.logouts.logOut(logout);
    return {};
  }
}
