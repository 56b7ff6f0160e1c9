import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PeriodicService } from '../scheduling/periodic-service.js';
import { PeriodicTask } from '../scheduling/periodic-task.js';

const PERIOD_MS = 10_000;
/** A process with a smaller share of its time at work, since the last look, is at rest. */
const REST_UTILIZATION = 0.1;
/** Less garbage is not worth the collection, which holds the event loop for about a millisecond for each MB in use. */
const LEAST_GROWTH_BYTES = 64 * 1024 * 1024;

/** The process that a collection is for. */
export interface CollectedProcess {
  /** The bytes of the heap and of buffers, reserved ones included. */
  reservedBytes(): number;
  /** The share of the time at work since the call before, from 0 to 1. */
  utilization(): number;
  /** A full collection. */
  collect(): Promise<void>;
}

/**
 * Collects garbage once when a program rests after it has grown. V8 leaves it for minutes: it collects when a program
 * allocates.
 */
export class CollectionAtRest extends PeriodicService {
  readonly #process: CollectedProcess;
  #bytesBefore: number;
  #isAtRest = false;
  protected readonly task = new PeriodicTask(PERIOD_MS, () => this.collectAtRest(), {
    failure: 'Garbage was not collected at rest',
  });

  constructor(collected: CollectedProcess = thisProcess()) {
    super();
    this.#process = collected;
    this.#bytesBefore = collected.reservedBytes();
  }

  async collectAtRest(): Promise<void> {
    const wasAtRest = this.#isAtRest;
    this.#isAtRest = this.#process.utilization() < REST_UTILIZATION;
    const bytes = this.#process.reservedBytes();
    this.#bytesBefore = Math.min(this.#bytesBefore, bytes);
    // V8 returns empty pages of the young generation only if the program has allocated little for some seconds.
    if (!wasAtRest || !this.#isAtRest || bytes - this.#bytesBefore < LEAST_GROWTH_BYTES) return;
    await this.#process.collect();
    // What is in use now is no garbage at the next rest.
    this.#bytesBefore = this.#process.reservedBytes();
  }
}

type Collect = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

/** The process that runs this code. */
export function thisProcess(): CollectedProcess {
  let before = performance.eventLoopUtilization();
  let collect: Collect | undefined;
  return {
    reservedBytes() {
      const { heapTotal, external } = process.memoryUsage();
      return heapTotal + external;
    },
    utilization() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    collect() {
      collect ??= exposedCollect();
      return collect({ type: 'major', execution: 'async' });
    },
  };
}

/** The function of V8, which a context has if the flag is set when it is made. */
function exposedCollect(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
