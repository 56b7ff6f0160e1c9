import { Inject, Injectable, Optional } from '@nestjs/common';
import { QueueRepository } from './queue.repository.js';

/** Called for accounts whose last event queue has ended, so that a higher capability can act for people who have left. */
export interface DepartureHook {
  /** The accounts have no queue that gets the events of messages. A rejection is recorded, and fails no request. */
  left(userIds: readonly number[]): Promise<void>;
}

/** DI token of the DepartureHook; a program without one only deletes the queues. */
export const DEPARTURE_HOOK = Symbol('DepartureHook');

/** Finds the accounts that have left with the queues that end. */
@Injectable()
export class Departures {
  constructor(
    private readonly queues: QueueRepository,
    @Optional() @Inject(DEPARTURE_HOOK) private readonly hook: DepartureHook | null = null,
  ) {}

  /** Call it for accounts whose queues with events of messages have ended. */
  async ended(userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0 || this.hook === null) return;
    const gone = await this.queues.withoutMessageQueue([...new Set(userIds)]);
    if (gone.length > 0) await this.hook.left(gone);
  }
}
