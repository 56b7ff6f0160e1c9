import { Injectable } from '@nestjs/common';
import { LogoutRepository } from './logout.repository.js';
import { PushDeviceRevoker } from './push-device-revoker.js';

const PAGE = 500;
/** The producer enqueues an outbox entry at once; only one that was lost is older than this. */
const OUTBOX_AGE_MS = 3_000;

/** Adds the jobs of logouts that Redis has lost. A task of the sweep. */
@Injectable()
export class LogoutSweep {
  constructor(
    private readonly logouts: LogoutRepository,
    private readonly devices: PushDeviceRevoker,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async sweep({ isStopped }: { readonly isStopped: () => boolean }): Promise<void> {
    let afterId: string | undefined = '0';
    while (afterId !== undefined && !isStopped()) {
      const page = await this.logouts.entries(OUTBOX_AGE_MS, afterId, PAGE);
      await Promise.all(page.map((logout) => this.devices.enqueue(logout)));
      afterId = page.length < PAGE ? undefined : page.at(-1)?.outboxId;
    }
  }
}
