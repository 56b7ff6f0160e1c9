import type { PresenceRuntime } from '#presence';
import { startPresence } from './start-presence.js';
import type { TestDatabase } from './test-stores.js';
import { layMovableWire, type MovableWire } from './movable-wire.js';
import type { Dice } from './dice.js';

/** In how many moments a process is held up, and for how many at most. */
const STALL_SHARE = 0.2;
const MOST_STALLED_MOMENTS = 15;

interface PresenceProcess {
  readonly runtime: PresenceRuntime;
  readonly wire: MovableWire;
  /** Until when the process is held up; 0 while it is not. */
  stalledUntil: number;
}

/** Several presence processes, each with a way of its own to Redis, which stall at random. */
export class PresenceProcesses {
  readonly #processes: PresenceProcess[] = [];
  #moment = 0;
  /** What the clock of the processes is ahead of the real one. */
  clockOffsetMs = 0;

  private constructor(private readonly dice: Dice) {}

  static async start(
    count: number,
    { database }: TestDatabase,
    redisUrl: string,
    dice: Dice,
  ): Promise<PresenceProcesses> {
    const started = new PresenceProcesses(dice);
    for (let index = 0; index < count; index += 1) {
      const wire = await layMovableWire(redisUrl);
      const clock = () => Date.now() + started.clockOffsetMs;
      const runtime = await startPresence(database, { redisUrl: wire.url, clock });
      started.#processes.push({ runtime, wire, stalledUntil: 0 });
    }
    return started;
  }

  get runtimes(): PresenceRuntime[] {
    return this.#processes.map(({ runtime }) => runtime);
  }

  /** The ways to Redis, in an order that is never the same. */
  wires(): MovableWire[] {
    return this.dice.shuffled(this.#processes).map(({ wire }) => wire);
  }

  /** Lets a moment pass, in which what goes to or comes from Redis may be held up for a while. */
  stallAtRandom(): void {
    this.#moment += 1;
    for (const process of this.#processes) {
      if (process.stalledUntil === this.#moment) release(process);
    }
    const process = this.dice.pick(this.#processes);
    if (process.stalledUntil !== 0 || this.dice.roll() > STALL_SHARE) return;
    process.stalledUntil = this.#moment + Math.ceil(this.dice.between(0, MOST_STALLED_MOMENTS));
    process.wire.hold();
  }

  releaseAll(): void {
    this.#processes.forEach(release);
  }

  async stop(): Promise<void> {
    this.releaseAll();
    await Promise.all(this.runtimes.map((runtime) => runtime.stop()));
    await Promise.all(this.#processes.map(({ wire }) => wire.stop()));
  }
}

function release(process: PresenceProcess): void {
  process.stalledUntil = 0;
  process.wire.release();
}
