import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { SampleRequest } from '../load/sandbox-inbox.js';
import type { ProviderAccess } from '../limits/bare-sender.js';

/** The server and the recipients of a fan-out. */
export interface FanOutPlan {
  readonly access: ProviderAccess;
  /** A number stands for that many generated tokens without an account, new ones in each round. */
  readonly tokens: readonly string[] | number;
}

/** The questions to a process of a fan-out. The first one opens the connections. */
export type FanOutQuestion =
  | ({ readonly ask: 'open'; readonly sample: SampleRequest | null } & FanOutPlan)
  /** Sends to all tokens, with `window` requests in flight. */
  | { readonly ask: 'send'; readonly window: number };

/** The result of one round of a fan-out. */
export interface FanOutTally {
  readonly accepted: number;
  /** The first error, as an example. */
  readonly firstFailure: string | null;
  /** The peak memory of the process so far. */
  readonly peakMib: number;
}

/** A process that sends to many tokens. */
export class FanOutSender {
  private constructor(private readonly process: BenchProcess<FanOutQuestion>) {}

  /** The lower bound of the cost of a fan-out: the sample request to every token over one connection of node:http2. */
  static openBare(place: ProcessPlace, plan: FanOutPlan, sample: SampleRequest) {
    return FanOutSender.#open('fan-out/bare-fan-out.process.js', place, { ...plan, sample });
  }

  /** The transport as the worker configures it, without a worker. */
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

  /** Resolves when every request has been answered. */
  send(window: number): Promise<FanOutTally> {
    return this.process.ask({ ask: 'send', window });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
