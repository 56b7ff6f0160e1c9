import { Injectable } from '@nestjs/common';
import { TokenRegistrations } from '#push/client-devices';
import { PushDeviceRevoker } from '#push/logout';
import { SweepRepository } from './sweep.repository.js';

const PAGE = 500;
/** The producer enqueues an outbox entry at once; only one that was lost is older than this. */
const OUTBOX_AGE_MS = 3_000;

/** Adds the jobs of logouts and registrations that Redis has lost or never got. */
@Injectable()
export class ControlSweep {
  constructor(
    private readonly ledger: SweepRepository,
    private readonly devices: PushDeviceRevoker,
    private readonly tokens: TokenRegistrations,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async run(isStopped: () => boolean): Promise<void> {
    let afterId: string | undefined = '0';
    while (afterId !== undefined && !isStopped()) {
      const page = await this.ledger.outboxEntries(OUTBOX_AGE_MS, afterId, PAGE);
      await Promise.all(page.map((logout) => this.devices.enqueue(logout)));
      afterId = page.length < PAGE ? undefined : page.at(-1)?.outboxId;
    }
    await this.tokens.sweep();
  }
}
