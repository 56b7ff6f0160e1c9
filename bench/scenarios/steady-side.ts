import type { SteadyTally, TimedRun } from '../load/steady-crowd.js';
import type { SteadyLoad } from '../load/steady-load.js';
import { type CpuClocks, CpuUsage } from '../measure/cpu-usage.js';
import { percentile } from '../measure/percentile.js';
import type { CpuShares } from '../results.js';
import type { Faults } from './faults.js';

const CONNECTIONS = 32;
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 3;
const WORST = 0.99;

/** One of two compared designs, over all its rounds. */
export class SteadySide {
  readonly #total: CpuUsage;
  #requests = 0;
  #seconds = 0;
  #last: SteadyTally | undefined;

  constructor(
    private readonly design: string,
    private readonly load: SteadyLoad,
    private readonly faults: Faults,
    private readonly clocks: CpuClocks,
  ) {
    this.#total = new CpuUsage(clocks);
  }

  /** CPU seconds per thousand polls, by program, over all rounds. */
  get cpuPerThousand(): CpuShares {
    return this.#total.perThousand(this.#requests);
  }

  /** Polls per second over all rounds. */
  get rate(): number {
    return this.#requests / this.#seconds;
  }

  get answerText(): string {
    const { entriesPerAnswer = 0, bytesPerAnswer = 0 } = this.#last ?? {};
    return `${entriesPerAnswer.toFixed(0)} entries in ${bytesPerAnswer.toFixed(0)} bytes`;
  }

  async warmUp(): Promise<void> {
    await this.load.call('poll', CONNECTIONS, { seconds: WARM_UP_SECONDS });
  }

  /** A round at the maximum rate; resolves with the polls per second. */
  async rateOfRound(): Promise<number> {
    const { requests, seconds } = await this.#round();
    return requests / seconds;
  }

  /** A round at the maximum rate; resolves with the polls per second of CPU, or NaN without CPU times. */
  async cpuRateOfRound(): Promise<number> {
    const usage = new CpuUsage(this.clocks);
    const { requests } = await usage.during(() => this.#round());
    const used = usage.perThousand(requests);
    const secondsPerThousand = Object.keys(this.clocks).reduce(
      (sum, name) => sum + (used[name] ?? Number.NaN),
      0,
    );
    return 1000 / secondsPerThousand;
  }

  /** A round at a constant rate; resolves with the 99th percentile of the latency, in milliseconds. */
  async latencyOfRound(perSecond: number): Promise<number> {
    const { polls, tally }: TimedRun = await this.load.call('pollAtPace', perSecond, ROUND_SECONDS);
    this.faults.add(this.design, tally);
    return percentile(
      polls.map(({ latencyMs }) => latencyMs),
      WORST,
    );
  }

  async #round(): Promise<SteadyTally> {
    const tally = await this.#total.during(() =>
      this.load.call('poll', CONNECTIONS, { seconds: ROUND_SECONDS }),
    );
    this.#requests += tally.requests;
    this.#seconds += tally.seconds;
    this.#last = tally;
    this.faults.add(this.design, tally);
    return tally;
  }
}
