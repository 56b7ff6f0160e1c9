import { randomBytes } from 'node:crypto';
import { answerParent } from '../processes/answer-parent.js';
import type { FanOutPlan, FanOutQuestion, FanOutTally } from './fan-out-sender.js';

/** Sends to one token; rejects if the push was not accepted. */
type SendOne = (token: string) => Promise<void>;

const KIB_PER_MIB = 1024;
const TOKEN_BYTES = 32;

/** Makes this process answer the questions of a FanOutSender. */
export function answerFanOut(
  open: (plan: Extract<FanOutQuestion, { ask: 'open' }>) => Promise<SendOne>,
): void {
  let tokens: FanOutPlan['tokens'] = [];
  let send: SendOne | undefined;
  answerParent(async (question: FanOutQuestion) => {
    if (question.ask === 'send') {
      if (send === undefined) throw new Error('No connection was opened.');
      return sendAll(valuesOf(tokens), question.window, send);
    }
    ({ tokens } = question);
    send = await open(question);
    return null;
  });
}

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
