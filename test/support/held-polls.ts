import { expect } from '@jest/globals';
import { eventually } from './eventually.js';
import { sendRequest } from './http-request.js';
import type { System } from './start-system.js';

const HELD_POLLS = /^carillon_events_held_polls (\d+)$/m;

async function heldPolls(metricsPort: string): Promise<number> {
  const { text } = await sendRequest(`http://127.0.0.1:${metricsPort}/metrics`);
  return Number(HELD_POLLS.exec(text)?.[1]);
}

/**
 * Sends polls, and resolves with their answer to come when the gateway with these metrics holds them. Polls that it held
 * before remain.
 */
export async function holdPolls<Answer>(
  metricsPort: string,
  send: () => Promise<Answer>,
  count = 1,
): Promise<{ readonly answer: Promise<Answer> }> {
  // A connection that was kept may belong to a gateway that has been restarted.
  const before = await eventually(() => heldPolls(metricsPort));
  const answer = send();
  await eventually(async () => expect(await heldPolls(metricsPort)).toBe(before + count));
  return { answer };
}

/** `holdPolls` for the gateway of a system that has `GATEWAY_METRICS_PORT`, such as a shared gateway. */
export const holdPollsOf = <Answer>(system: System, send: () => Promise<Answer>, count = 1) =>
  holdPolls(system.environmentOf('api-gateway')['GATEWAY_METRICS_PORT'] ?? '', send, count);
