import { Injectable } from '@nestjs/common';
import { JobQueues } from '#platform/queue';
import { TokenRegistrations } from '#push/client-devices';
import { PushDeviceRevoker } from '#push/logout';
import { MessageFanOuts } from '#push/notifications';
import { TokenChanges } from '#push/service';
import { SweepRepository } from './sweep.repository.js';

const PAGE = 500;
/** The producer enqueues an outbox entry at once; only one that was lost is older than this. */
const OUTBOX_AGE_MS = 3_000;

/** Adds the jobs of logouts, registrations, changes of phones, and messages with many recipients that Redis has lost or never got. */
@Injectable()
export class ControlSweep {
  constructor(
    private readonly ledger: SweepRepository,
    private readonly devices: PushDeviceRevoker,
    private readonly tokens: TokenRegistrations,
    private readonly changes: TokenChanges,
    private readonly fanOuts: MessageFanOuts,
    private readonly queues: JobQueues,
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
    await this.fanOuts.sweep();
    await this.#sendChanges();
  }

  /** On a server that relays. While Redis is down, the next pass adds them. */
  async #sendChanges(): Promise<void> {
    const userIds = await this.changes.takeDue();
    const jobs = userIds.map((userId) => ({
      name: 'account.relay' as const,
      jobId: `relay-${userId}`,
      payload: { v: 1 as const, userId },
    }));
    await this.queues.enqueueMany('push-control', jobs).catch(() => undefined);
  }
}
