import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { SampleRequest } from '../load/sandbox-inbox.js';
import type { ApnsAccess } from '../limits/apns-access.js';

/** Where to send, and to whom. */
export interface FanOutPlan {
  readonly apns: ApnsAccess;
  /** A number stands for so many phones of no account, others in each round, made up one by one. */
  readonly tokens: readonly string[] | number;
}

/** What the processes of a fan-out are asked; first to open their connections. */
export type FanOutQuestion =
  | ({ readonly ask: 'open'; readonly sample: SampleRequest | null } & FanOutPlan)
  /** To send to all tokens, so many at a time. */
  | { readonly ask: 'send'; readonly window: number };

/** What became of one round of a fan-out. */
export interface FanOutTally {
  readonly accepted: number;
  /** As an example. */
  readonly firstFailure: string | null;
  /** The most memory that the process has had so far. */
  readonly peakMib: number;
}

/** One process that sends to many tokens. */
export class FanOutSender {
  private constructor(private readonly process: BenchProcess<FanOutQuestion>) {}

  /** The least that a fan-out can cost: the sample to everybody, over one connection of node:http2. */
  static openBare(place: ProcessPlace, plan: FanOutPlan, sample: SampleRequest) {
    return FanOutSender.#open('fan-out/bare-fan-out.process.js', place, { ...plan, sample });
  }

  /** Our transport, as the worker has it, without a worker around it. */
  static openOurs(place: ProcessPlace, plan: FanOutPlan) {
    return FanOutSender.#open('fan-out/our-fan-out.process.js', place, { ...plan, sample: null });
  }

  static async #open(
    module: string,
    place: ProcessPlace,
    plan: FanOutPlan & { readonly sample: SampleRequest | null },
  ): Promise<FanOutSender> {
    const process = new BenchProcess<FanOutQuestion>(module, place);
    await process.ask({ ask: 'open', ...plan });
    return new FanOutSender(process);
  }

  get pid(): number {
    return this.process.pid;
  }

  /** Resolves when each was answered. */
  send(window: number): Promise<FanOutTally> {
    return this.process.ask({ ask: 'send', window });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
