import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, groupBy } from '#core';
import { type JobOutcome, Messages } from '#queue';
import type { DeliveryItem } from '../accept/delivery-jobs.rules.js';
import { Gates } from '../gate/gates.js';
import { spreadFrom } from '../gate/spread.rules.js';
import type { DeliveryKey } from './delivery.repository.js';
import { lookAgainDelayMs } from './back-off.rules.js';
import { type DeliverResult, heardOf } from './heard-of.js';
import { Lanes } from './lanes.js';
import { RepeatDeliveries, type Repetition } from './repeat-deliveries.js';
import { type Destination, type Tried, TryDeliveries } from './try-deliveries.js';

/** Tries the deliveries of a job, and sees to it that those that are still pending come back. */
@Injectable()
export class DeliverItems {
  constructor(
    private readonly tryDeliveries: TryDeliveries,
    private readonly lanes: Lanes,
    private readonly gates: Gates,
    private readonly repeat: RepeatDeliveries,
    private readonly messages: Messages,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects only when the ledger cannot be read or written. */
  async execute(destination: Destination, items: readonly DeliveryItem[]): Promise<JobOutcome> {
    const keys = keysOf(items);
    const shutUntil = this.gates.shutUntil(destination.platform);
    if (shutUntil !== null) {
      const until = spreadFrom(shutUntil, Math.random());
      await this.#repeat(
        destination,
        keys.map((key) => ({ ...key, until })),
      );
      return { restsUntil: shutUntil };
    }
    if (this.lanes.isClosing) return { comesBackAt: this.clock() };
    const tried = await this.tryDeliveries.execute(destination, keys);
    await this.#repeat(destination, this.#pendingOf(tried));
    this.#tell(items, tried);
    const left = await this.tryDeliveries.goOn(destination, tried);
    await this.#repeat(
      destination,
      left.map((key) => ({ ...key, until: this.clock() })),
    );
    return {};
  }

  #repeat({ queue }: Destination, repetitions: readonly Repetition[]): Promise<void> {
    return this.repeat.execute(queue, repetitions, this.clock());
  }

  #pendingOf(tried: readonly Tried[]): Repetition[] {
    const now = this.clock();
    return tried.flatMap(([key, progress]) => {
      if (progress.state !== 'pending') return [];
      const { behindForMs, until } = progress;
      const soonest = behindForMs === null ? 0 : now + lookAgainDelayMs(behindForMs);
      return { ...key, until: Math.max(until, soonest) };
    });
  }

  /** Who waits for it asks the ledger when nothing is heard. */
  #tell(items: readonly DeliveryItem[], tried: readonly Tried[]): void {
    const awaited = new Set(items.flatMap(({ id, isAwaited }) => (isAwaited === true ? id : [])));
    if (awaited.size === 0) return;
    const told = tried.filter(([key]) => awaited.has(key.notificationId));
    for (const [id, group] of groupBy(told, ([key]) => key.notificationId)) {
      const result: DeliverResult = {
        v: 1,
        states: Object.fromEntries(group.map(([key, { state }]) => [key.deviceId, state])),
      };
      this.messages.tell(heardOf(id), result).catch(() => undefined);
    }
  }
}

const keysOf = (items: readonly DeliveryItem[]): DeliveryKey[] =>
  items.flatMap(({ id, devices }) => devices.map((deviceId) => ({ notificationId: id, deviceId })));
