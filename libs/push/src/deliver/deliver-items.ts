import { Inject, Injectable } from '@nestjs/common';
import type { DeliverResult, Platform, PushLane, QueueName } from '#contracts';
import { CLOCK, type Clock, groupBy } from '#core';
import { type JobOutcome, Messages } from '#queue';
import type { DeliveryItem } from '../accept/delivery-jobs.rules.js';
import { Gates } from '../gate/gates.js';
import { AttemptDelivery } from './attempt-delivery.js';
import type { DeliveryKey } from './delivery.repository.js';
import { heardOf } from './heard-of.js';
import { Lanes } from './lanes.js';
import { RepeatDeliveries, type Repetition } from './repeat-deliveries.js';
import type { Progress } from './settle-delivery.js';

/** When to look again at what somebody else is sending at the moment. */
const LOOK_AGAIN_MS = 50;
/** What waits for a gate does not all come back in the same moment. */
const SPREAD_MS = 2000;

/** Where a job's deliveries go. */
export interface Destination {
  readonly queue: QueueName;
  readonly platform: Platform;
  readonly lane: PushLane;
}

type Tried = readonly [DeliveryKey, Progress];

/** Tries the deliveries of a job, and sees to it that those that are still pending come back. */
@Injectable()
export class DeliverItems {
  constructor(
    private readonly attempt: AttemptDelivery,
    private readonly lanes: Lanes,
    private readonly gates: Gates,
    private readonly repeat: RepeatDeliveries,
    private readonly messages: Messages,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects only when the ledger cannot be read or written. */
  async execute(destination: Destination, items: readonly DeliveryItem[]): Promise<JobOutcome> {
    const shutUntil = this.gates.shutUntil(destination.platform);
    if (shutUntil !== null) {
      return { comesBackAt: shutUntil + Math.random() * SPREAD_MS, restsUntil: shutUntil };
    }
    if (this.lanes.isClosing) return { comesBackAt: this.clock() };
    const tried = await this.#tryAll(destination, keysOf(items));
    await this.repeat.execute(destination.queue, this.#pendingOf(tried), this.clock());
    this.#tell(items, tried);
    return {};
  }

  /** In rounds: what is behind another delivery of this job goes once that has been sent. */
  async #tryAll(destination: Destination, keys: readonly DeliveryKey[]): Promise<Tried[]> {
    const all: Tried[] = [];
    let round = keys;
    while (round.length > 0) {
      const tried = await this.#tryOnce(destination, round);
      const behind = tried.filter(([, progress]) => isBehind(progress));
      const hasProgress = behind.length < tried.length && !this.lanes.isClosing;
      all.push(...(hasProgress ? tried.filter(([, progress]) => !isBehind(progress)) : tried));
      round = hasProgress ? behind.map(([key]) => key) : [];
    }
    return all;
  }

  async #tryOnce({ platform, lane }: Destination, keys: readonly DeliveryKey[]): Promise<Tried[]> {
    const { room, transport } = this.lanes.of(platform);
    const tries = await Promise.allSettled(
      room
        .slicesOf(lane, keys)
        .map((slice) =>
          room.run(lane, slice.length, () =>
            Promise.allSettled(
              slice.map(async (key): Promise<Tried> => [
                key,
                this.lanes.isClosing ? this.#now() : await this.attempt.execute(transport, key),
              ]),
            ),
          ),
        ),
    );
    // Only now: what is still being sent must not be started a second time.
    return tries.flatMap(valueOf).map(valueOf);
  }

  #now(): Progress {
    return { state: 'pending', until: this.clock(), isBehind: false };
  }

  #pendingOf(tried: readonly Tried[]): Repetition[] {
    const soonest = this.clock() + LOOK_AGAIN_MS;
    return tried.flatMap(([key, progress]) => {
      if (progress.state !== 'pending') return [];
      const until = progress.isBehind ? Math.max(soonest, progress.until) : progress.until;
      return { ...key, until };
    });
  }

  /** Who waits for it asks the ledger when nothing is heard. */
  #tell(items: readonly DeliveryItem[], tried: readonly Tried[]): void {
    const awaited = new Set(items.flatMap(({ id, isAwaited }) => (isAwaited === true ? id : [])));
    if (awaited.size === 0) return;
    const told = tried.filter(([key]) => awaited.has(key.notificationId));
    for (const [id, group] of groupBy(told, ([key]) => key.notificationId)) {
      const result: DeliverResult = {
        states: Object.fromEntries(group.map(([key, { state }]) => [key.deviceId, state])),
      };
      this.messages.tell(heardOf(id), result).catch(() => undefined);
    }
  }
}

const isBehind = (progress: Progress): boolean => progress.state === 'pending' && progress.isBehind;

const keysOf = (items: readonly DeliveryItem[]): DeliveryKey[] =>
  items.flatMap(({ id, devices }) => devices.map((deviceId) => ({ notificationId: id, deviceId })));

function valueOf<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
