import { Inject, Injectable } from '@nestjs/common';
import type { JobHandler, JobPayload } from '#push/jobs';
import type { JobOutcome } from '#platform/queue';
import { DEVICE_CHANGES, type DeviceChanges } from './device-changes.js';

/** Sends the changes of the devices of an account to the push service. Those that fail are due again later. */
@Injectable()
export class TokenChangesJob implements JobHandler<'account.relay'> {
  readonly jobName = 'account.relay';

  constructor(@Inject(DEVICE_CHANGES) private readonly changes: DeviceChanges) {}

  /** Rejects only when PostgreSQL is down. */
  async handle({ userId }: JobPayload<'account.relay'>): Promise<JobOutcome> {
    await this.changes.send(userId);
    return {};
  }
}
