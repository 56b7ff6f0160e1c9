import { Injectable } from '@nestjs/common';
import { LogoutRepository, PushDeviceRevoker, TokenRequests } from '#push/devices';
import { MessageFanOuts } from '#push/notifications';
import { TokenChanges } from '#push/relay';

const PAGE = 500;
/** The producer enqueues an outbox entry at once; only one that was lost is older than this. */
const OUTBOX_AGE_MS = 3_000;

/** Requeues the control work whose jobs are not in Redis. */
@Injectable()
export class ControlSweep {
  constructor(
    private readonly logouts: LogoutRepository,
    private readonly devices: PushDeviceRevoker,
    private readonly tokens: TokenRequests,
    private readonly changes: TokenChanges,
    private readonly fanOuts: MessageFanOuts,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async run(isStopped: () => boolean): Promise<void> {
    let afterId: string | undefined = '0';
    while (afterId !== undefined && !isStopped()) {
      const page = await this.logouts.entries(OUTBOX_AGE_MS, afterId, PAGE);
      await Promise.all(page.map((logout) => this.devices.enqueue(logout)));
      afterId = page.length < PAGE ? undefined : page.at(-1)?.outboxId;
    }
    await this.tokens.sweep();
    await this.fanOuts.sweep();
    await this.changes.sweep();
  }
}
