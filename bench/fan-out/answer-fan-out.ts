import { randomBytes } from 'node:crypto';
import type { SampleRequest } from '../load/sandbox-inbox.js';
import { serveCrowd } from '../processes/answer-parent.js';
import type { FanOut, FanOutPlan, FanOutTally } from './fan-out-sender.js';

/** Sends to one token; rejects if the push was not accepted. */
type SendOne = (token: string) => Promise<void>;

const KIB_PER_MIB = 1024;
const TOKEN_BYTES = 32;

interface GivenPlan extends FanOutPlan {
  readonly sample: SampleRequest | null;
}

/** Makes this process send for a FanOutSender. */
export const answerFanOut = (open: (plan: GivenPlan) => Promise<SendOne>): void =>
  serveCrowd(async (plan: GivenPlan): Promise<FanOut> => {
    const send = await open(plan);
    return { send: (window) => sendAll(valuesOf(plan.tokens), window, send) };
  });

/** Generates tokens lazily, so that the process never holds all of them in memory. */
function* newTokens(count: number): Generator<string> {
  for (let made = 0; made < count; made += 1) yield randomBytes(TOKEN_BYTES).toString('hex');
}

const valuesOf = (tokens: FanOutPlan['tokens']): IterableIterator<string> =>
  typeof tokens === 'number' ? newTokens(tokens) : tokens.values();

/** Each of the `window` workers sends one push after another, so at most `window` are in flight. */
async function sendAll(
  rest: IterableIterator<string>,
  window: number,
  send: SendOne,
): Promise<FanOutTally> {
  let accepted = 0;
  let firstFailure: string | null = null;
  const lane = async () => {
    for (const token of rest) {
      try {
        await send(token);
        accepted += 1;
      } catch (error) {
        firstFailure ??= String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: window }, lane));
  return { accepted, firstFailure, peakMib: process.resourceUsage().maxRSS / KIB_PER_MIB };
}
