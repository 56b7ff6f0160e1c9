import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type Platform, platforms, type PushLane } from '#push/jobs';
import type { PushTransport } from '#push/providers';

/** The bulk lane gets at most this share of the slots, so that urgent pushes always find free ones. */
const BULK_SHARE = 0.6;

interface Waiting {
  readonly size: number;
  readonly start: () => void;
}

/** Acquired slots. Deliveries take them, one each; there may be more deliveries than slots, as in a page. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  /** Those that no delivery has. */
  #free: number;
  #left: number;
  /** The deliveries that have not taken a slot yet. */
  #toCome: number;

  constructor(
    count: number,
    private readonly giveBack: (count: number) => void,
  ) {
    this.#free = count;
    this.#left = count;
    this.#toCome = count;
  }

  /** Says how many deliveries will take a slot: released ones are kept for them. */
  expect(deliveries: number): void {
    this.#toCome = deliveries;
  }

  /** Takes a slot. If there is none, resolves when another delivery has released one. */
  take(): Promise<void> | undefined {
    this.#toCome -= 1;
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise<void>((start) => this.#waiting.push(start));
  }

  /** Gives one slot to the next delivery that waits for it or will come, or else back. */
  release(): void {
    if (this.#left === 0) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    if (this.#toCome > this.#free) {
      this.#free += 1;
      return;
    }
    this.#left -= 1;
    this.giveBack(1);
  }

  /** Gives back those that are left. */
  releaseAll(): void {
    const left = this.#left;
    this.#left = 0;
    if (left > 0) this.giveBack(left);
  }
}

/**
 * Bounds the pushes in flight of a platform in this process; a lane without any may exceed the bound once. Urgent ones go
 * before bulk ones.
 */
export class PrioritySemaphore {
  readonly #waiting: Record<PushLane, Waiting[]> = { urgent: [], bulk: [] };
  readonly #taken: Record<PushLane, number> = { urgent: 0, bulk: 0 };

  constructor(private readonly size: number) {}

  /** Splits work into chunks of at most the slots of the lane; an item that needs more is a chunk of its own. */
  chunks<Item>(
    lane: PushLane,
    items: readonly Item[],
    sizeOf: (item: Item) => number = () => 1,
  ): Item[][] {
    const most = this.sizeOf(lane);
    const chunks: Item[][] = [];
    let left = 0;
    for (const item of items) {
      const size = sizeOf(item);
      if (size > left || chunks.length === 0) {
        chunks.push([]);
        left = most;
      }
      chunks.at(-1)?.push(item);
      left -= size;
    }
    return chunks;
  }

  /** Resolves when `count` slots are free, or at once if the lane holds no slots, even beyond the bound. */
  async acquire(lane: PushLane, count: number): Promise<Slots> {
    if (this.#waiting[lane].length > 0 || !this.#areFree(lane, count)) {
      await new Promise<void>((start) => this.#waiting[lane].push({ size: count, start }));
    } else {
      this.#taken[lane] += count;
    }
    return new Slots(count, (released) => {
      this.#taken[lane] -= released;
      this.#startWaiting('urgent');
      this.#startWaiting('bulk');
    });
  }

  #startWaiting(lane: PushLane): void {
    const waiting = this.#waiting[lane];
    for (
      let next = waiting[0];
      next !== undefined && this.#areFree(lane, next.size);
      next = waiting[0]
    ) {
      waiting.shift();
      this.#taken[lane] += next.size;
      next.start();
    }
  }

  /** An idle lane may always begin, so that neither waits for ever. */
  #areFree(lane: PushLane, count: number): boolean {
    const { urgent, bulk } = this.#taken;
    if (this.#taken[lane] === 0) return true;
    const isWithinShare = lane === 'urgent' || bulk + count <= this.sizeOf('bulk');
    return isWithinShare && urgent + bulk + count <= this.size;
  }

  /** The slots of a lane. */
  sizeOf(lane: PushLane): number {
    return lane === 'bulk' ? Math.ceil(this.size * BULK_SHARE) : this.size;
  }
}

/** The transport of a platform, and the semaphore that bounds its pushes in flight. */
interface PlatformPool {
  readonly transport: PushTransport;
  readonly semaphore: PrioritySemaphore;
}

/** The transports of a process, for the platforms that it serves. */
export type PushTransports = Readonly<Partial<Record<Platform, PushTransport>>>;

/** DI token of the PushTransports. */
export const PUSH_TRANSPORTS = Symbol('PushTransports');
/** DI token: the most pushes in flight of a platform. */
export const PLATFORM_CONCURRENCY = Symbol('PlatformConcurrency');

/** The platforms that this process serves. */
@Injectable()
export class PlatformPools implements OnModuleDestroy, OnApplicationShutdown {
  readonly #pools = new Map<Platform, PlatformPool>();
  #isClosing = false;

  constructor(
    @Inject(PUSH_TRANSPORTS) transports: PushTransports,
    @Inject(PLATFORM_CONCURRENCY) concurrency: number,
  ) {
    for (const platform of platforms) {
      const transport = transports[platform];
      if (transport === undefined) continue;
      this.#pools.set(platform, { transport, semaphore: new PrioritySemaphore(concurrency) });
    }
  }

  /** Throws for a platform that this process does not serve. */
  of(platform: Platform): PlatformPool {
    const pool = this.#pools.get(platform);
    if (pool === undefined) throw new Error(`No transport for ${platform} in this process`);
    return pool;
  }

  /** Whether the process shuts down: deliveries that are not yet sent are left to another worker. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  onModuleDestroy(): void {
    this.#isClosing = true;
  }

  /** After the workers have closed. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ transport }) => transport.close()));
  }
}
