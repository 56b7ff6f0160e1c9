import { answerParent } from '../processes/answer-parent.js';
import type { FanOutQuestion, FanOutTally } from './fan-out-sender.js';

/** Sends to one token; rejects when it was not accepted. */
export type SendOne = (token: string) => Promise<void>;

const KIB_PER_MIB = 1024;

/** Makes this process a sender of FanOutSender's. */
export function answerFanOut(
  open: (plan: Extract<FanOutQuestion, { ask: 'open' }>) => Promise<SendOne>,
): void {
  let tokens: readonly string[] = [];
  let send: SendOne | undefined;
  answerParent(async (question: FanOutQuestion) => {
    if (question.ask === 'send') {
      if (send === undefined) throw new Error('No connection was opened.');
      return sendAll(tokens, question.window, send);
    }
    ({ tokens } = question);
    send = await open(question);
    return null;
  });
}

/** Each lane sends one after another, so that no more than `window` are under way. */
async function sendAll(
  tokens: readonly string[],
  window: number,
  send: SendOne,
): Promise<FanOutTally> {
  const rest = tokens.values();
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
