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

/** How many notifications, one after the other, a job sends to a device that it did not come for. */
const MOST_FURTHER_TURNS = 100;

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

  /**
   * Sends what these have held up, whichever jobs it came with: those need not ask for their turn. Resolves with
   * what is left after many turns. Rejects only when the ledger cannot be read or written.
   */
  async goOn(destination: Destination, tried: readonly Tried[]): Promise<DeliveryKey[]> {
    let next = heldUpBy(tried);
    for (let turn = 0; next.length > 0 && turn < MOST_FURTHER_TURNS; turn += 1) {
      if (this.lanes.isClosing) return [];
      next = heldUpBy(await this.#tryOnce(destination, next));
    }
    return next;
  }

  async #tryOnce(destination: Destination, keys: readonly DeliveryKey[]): Promise<Tried[]> {
    const { lane, platform } = destination;
    const slices = this.lanes.of(platform).room.slicesOf(lane, keys);
    const tries = await Promise.allSettled(
      slices.map((slice) => this.#trySlice(destination, slice)),
    );
    return tries.flatMap(valueOf);
  }

  async #trySlice({ lane, platform }: Destination, keys: readonly DeliveryKey[]): Promise<Tried[]> {
    const { room, transport } = this.lanes.of(platform);
    const places = await room.take(lane, keys.length);
    try {
      if (this.lanes.isClosing) return keys.map((key) => [key, this.#leftToAnother()]);
      const claims = await this.deliveries.claim(keys);
      const tries = await Promise.allSettled(
        claims.map(async ([key, claim]): Promise<Tried> => [
          key,
          await this.attempt.execute(transport, key, claim, places),
        ]),
      );
      // Only now: what is still being sent must not be started a second time.
      return tries.map(valueOf);
    } finally {
      places.leaveAll();
    }
  }

  #leftToAnother(): Progress {
    return { state: 'pending', until: this.clock(), behindForMs: null };
  }
}

const isBehind = ([, progress]: Tried): boolean =>
  progress.state === 'pending' && progress.behindForMs !== null;

/** What these have held up, and what was not tried with them. */
function heldUpBy(tried: readonly Tried[]): DeliveryKey[] {
  const next = tried.flatMap(([, progress]) =>
    progress.state === 'pending' || progress.next === null ? [] : progress.next,
  );
  if (next.length === 0) return next;
  const known = new Set(tried.map(([key]) => nameOf(key)));
  return next.filter((key) => !known.has(nameOf(key)));
}

const nameOf = ({ notificationId, deviceId }: DeliveryKey): string =>
  `${notificationId}/${deviceId}`;

function valueOf<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
