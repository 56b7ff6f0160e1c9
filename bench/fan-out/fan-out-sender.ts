import type { ProviderAccess } from '../limits/bare-sender.js';
import type { SampleRequest } from '../load/sandbox-inbox.js';
import type { ProcessPlace } from '../processes/process-place.js';
import { RemoteCrowd } from '../processes/remote-crowd.js';

/** The server and the recipients of a fan-out. */
export interface FanOutPlan {
  readonly access: ProviderAccess;
  /** A number stands for that many generated tokens without an account, new ones in each round. */
  readonly tokens: readonly string[] | number;
}

/** The result of one round of a fan-out. */
export interface FanOutTally {
  readonly accepted: number;
  /** The first error, as an example. */
  readonly firstFailure: string | null;
  /** The peak memory of the process so far. */
  readonly peakMib: number;
}

/** Sends to many tokens. */
export interface FanOut {
  /** Sends to all tokens, with `window` requests in flight; resolves when every request has been answered. */
  send(window: number): Promise<FanOutTally>;
}

/** A process that sends to many tokens. */
export type FanOutSender = RemoteCrowd<FanOut>;

/** The lower bound of the cost of a fan-out: the sample request to every token over one connection of node:http2. */
export const openBareFanOut = (
  place: ProcessPlace,
  plan: FanOutPlan,
  sample: SampleRequest,
): Promise<FanOutSender> =>
  RemoteCrowd.gather('fan-out/bare-fan-out.process.js', place, { ...plan, sample });

/** The transport as the worker configures it, without a worker. */
export const openOurFanOut = (place: ProcessPlace, plan: FanOutPlan): Promise<FanOutSender> =>
  RemoteCrowd.gather('fan-out/our-fan-out.process.js', place, { ...plan, sample: null });
