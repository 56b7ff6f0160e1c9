import type { PushLane } from '#contracts';

/** Of a platform's width, what may wait gets at most this part: somebody always finds room for what may not. */
const BULK_SHARE = 0.6;

interface Waiting {
  readonly size: number;
  readonly start: () => void;
}

/** The room that some pushes were given. */
export class Places {
  constructor(
    private left: number,
    private readonly giveBack: (count: number) => void,
  ) {}

  /** One of the pushes is no longer under way. */
  leave(): void {
    if (this.left === 0) return;
    this.left -= 1;
    this.giveBack(1);
  }

  /** None of them is. */
  leaveAll(): void {
    const { left } = this;
    this.left = 0;
    if (left > 0) this.giveBack(left);
  }
}

/**
 * Bounds how many pushes of a platform are under way in this process. What may not wait goes before what
 * may, and always has room of its own.
 */
export class LaneRoom {
  readonly #waiting: Record<PushLane, Waiting[]> = { urgent: [], bulk: [] };
  readonly #running: Record<PushLane, number> = { urgent: 0, bulk: 0 };

  constructor(private readonly width: number) {}

  /** Cuts what is to be done into tasks that the lane has room for. */
  slicesOf<Item>(lane: PushLane, items: readonly Item[]): Item[][] {
    const size = Math.max(1, this.#widthOf(lane));
    const slices: Item[][] = [];
    for (let start = 0; start < items.length; start += size) {
      slices.push(items.slice(start, start + size));
    }
    return slices;
  }

  /** Resolves when there is room for so many pushes; for more than all the room, when there is nobody else. */
  async take(lane: PushLane, size: number): Promise<Places> {
    if (this.#waiting[lane].length > 0 || !this.#hasRoom(lane, size)) {
      await new Promise<void>((start) => this.#waiting[lane].push({ size, start }));
    } else {
      this.#running[lane] += size;
    }
    return new Places(size, (count) => {
      this.#running[lane] -= count;
      this.#admit('urgent');
      this.#admit('bulk');
    });
  }

  #admit(lane: PushLane): void {
    const waiting = this.#waiting[lane];
    for (
      let next = waiting[0];
      next !== undefined && this.#hasRoom(lane, next.size);
      next = waiting[0]
    ) {
      waiting.shift();
      this.#running[lane] += next.size;
      next.start();
    }
  }

  #hasRoom(lane: PushLane, size: number): boolean {
    const isIdle = this.#running[lane] === 0;
    const { urgent, bulk } = this.#running;
    const taken = lane === 'bulk' ? bulk : urgent + bulk;
    return isIdle || taken + size <= this.#widthOf(lane);
  }

  #widthOf(lane: PushLane): number {
    return lane === 'bulk' ? Math.ceil(this.width * BULK_SHARE) : this.width;
  }
}
