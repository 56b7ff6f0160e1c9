/**
 * A process with the ordinary requests of one account, one after another, and the times of their answers: apart from the
 * process of the test, which is busy with other requests. It answers each message of its parent with the times since the last.
 *
 *   node ordinary-client.js '<OrdinaryClientPlan>'
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, type Credentials } from './api-client.js';
import { busyClockOf } from './busy-clock.js';
import type { Reply } from './http-request.js';

export interface OrdinaryClientPlan {
  readonly gatewayUrl: string;
  /** The process of the gateway. */
  readonly gatewayPid: number;
  readonly credentials: Credentials;
}

/** What the account has seen since the last question. */
export interface OrdinaryTimes {
  /** In milliseconds, by the kind of the request. */
  readonly ms: Readonly<Record<string, readonly number[]>>;
  /**
   * The same as CPU time of the main thread of the gateway: how long it worked, for this request and others, until the answer.
   * So other processes do not count. By the clock where the system does not tell it.
   */
  readonly busyMs: Readonly<Record<string, readonly number[]>>;
  readonly failures: readonly string[];
}

const PAUSE_MS = 20;

// The parent passes a plan of this form.
const { gatewayUrl, gatewayPid, credentials } = JSON.parse(
  process.argv[2] ?? '',
) as OrdinaryClientPlan;
const api = new ApiClient(gatewayUrl, credentials);

const busyClock = busyClockOf(gatewayPid) ?? (() => performance.now());
let ms: Record<string, number[]> = {};
let busyMs: Record<string, number[]> = {};
let failures: string[] = [];

async function timed(kind: string, send: () => Promise<Reply>): Promise<void> {
  const began = performance.now();
  const busyBefore = busyClock();
  try {
    const { status, text } = await send();
    if (status === 200) {
      (ms[kind] ??= []).push(performance.now() - began);
      (busyMs[kind] ??= []).push(busyClock() - busyBefore);
    } else failures.push(`${kind}: ${status} ${text.slice(0, 200)}`);
  } catch (error) {
    failures.push(`${kind}: ${String(error)}`);
  }
  await delay(PAUSE_MS);
}

const newest = { anchor: 'newest', num_before: 20, num_after: 0 };

async function run(): Promise<void> {
  const { body } = await api.post('/register', { event_types: ['message'] });
  const queue = { queue_id: body['queue_id'], last_event_id: -1, dont_block: true };
  const to = [Number((await api.get('/users/me')).body['user_id'])];
  for (;;) {
    await timed('presence', () =>
      api.post('/users/me/presence', { status: 'active', last_update_id: -1 }),
    );
    await timed('send', () => api.post('/messages', { type: 'direct', to, content: 'Hello' }));
    await timed('messages', () => api.get('/messages', newest));
    await timed('events', () => api.get('/events', queue));
  }
}

process.on('message', () => {
  process.send?.({ ms, busyMs, failures } satisfies OrdinaryTimes);
  ms = {};
  busyMs = {};
  failures = [];
});
process.on('disconnect', () => process.exit());
await run();
