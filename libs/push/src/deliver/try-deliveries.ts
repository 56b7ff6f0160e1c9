import { Inject, Injectable } from '@nestjs/common';
import type { Platform, PushLane, QueueName } from '#contracts';
import { CLOCK, type Clock } from '#core';
import { AttemptDelivery } from './attempt-delivery.js';
import { type DeliveryKey, DeliveryRepository } from './delivery.repository.js';
import { Lanes } from './lanes.js';
import type { Progress } from './settle-delivery.js';

/** Where deliveries go, and in which of its queues they wait. */
export interface Destination {
  readonly queue: QueueName;
  readonly platform: Platform;
  readonly lane: PushLane;
}

/** A delivery, and how it stands after a try. */
export type Tried = readonly [DeliveryKey, Progress];

/** Tries deliveries as there is room for them: each once, or once more when one that it was behind is sent. */
@Injectable()
export class TryDeliveries {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly attempt: AttemptDelivery,
    private readonly lanes: Lanes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** In rounds, as long as they bring something. Rejects only when the ledger cannot be read or written. */
  async execute(destination: Destination, keys: readonly DeliveryKey[]): Promise<Tried[]> {
    const all: Tried[] = [];
    let round = keys;
    while (round.length > 0) {
      const tried = await this.#tryOnce(destination, round);
      const behind = tried.filter(isBehind);
      const goesOn = behind.length < tried.length && !this.lanes.isClosing;
      all.push(...(goesOn ? tried.filter((one) => !isBehind(one)) : tried));
      round = goesOn ? behind.map(([key]) => key) : [];
    }
    return all;
  }

  async #tryOnce({ platform, lane }: Destination, keys: readonly DeliveryKey[]): Promise<Tried[]> {
    const { room } = this.lanes.of(platform);
    const slices = room.slicesOf(lane, keys);
    const tries = await Promise.allSettled(
      slices.map((slice) => room.run(lane, slice.length, () => this.#trySlice(platform, slice))),
    );
    return tries.flatMap(valueOf);
  }

  async #trySlice(platform: Platform, keys: readonly DeliveryKey[]): Promise<Tried[]> {
    if (this.lanes.isClosing) return keys.map((key) => [key, this.#leftToAnother()]);
    const { transport } = this.lanes.of(platform);
    const claims = await this.deliveries.claim(keys);
    const tries = await Promise.allSettled(
      claims.map(async ([key, claim]): Promise<Tried> => [
        key,
        await this.attempt.execute(transport, key, claim),
      ]),
    );
    // Only now: what is still being sent must not be started a second time.
    return tries.map(valueOf);
  }

  #leftToAnother(): Progress {
    return { state: 'pending', until: this.clock(), isBehind: false };
  }
}

const isBehind = ([, progress]: Tried): boolean =>
  progress.state === 'pending' && progress.isBehind;

function valueOf<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
