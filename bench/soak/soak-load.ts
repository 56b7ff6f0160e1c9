import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchRealm, BenchUser } from '../world/bench-world.js';

/** A held poll is answered within a minute. */
const DEADLINE_MS = 90_000;
/** Beyond this the server is too slow for the rate; further requests wait and count as slow. */
const MAX_IN_FLIGHT = 2000;
/** The first pause after a failed poll. */
const REPEAT_MS = 1000;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The events since the last call of `SoakLoad.take`. */
interface SoakCounts {
  readonly latencies: readonly number[];
  readonly failed: number;
  readonly events: number;
}

/** One request of the mix. */
type Send = (user: BenchUser) => Promise<Answer>;

/**
 * Requests of random people at a constant rate, independent of the answers: half of them presence reports, a fifth
 * messages to random people, a fifth reads of messages, a tenth mark everything as read. Other people hold event polls.
 */
export class SoakLoad {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #mix: readonly Send[];
  #latencies: number[] = [];
  #failed = 0;
  #events = 0;
  #inFlight = 0;
  /** The reason of the latest failure. */
  lastFailure = '';

  constructor(
    private readonly port: number,
    private readonly realm: BenchRealm,
  ) {
    const report: Send = (user) =>
      this.#post(user, '/users/me/presence', 'status=active&ping_only=false&last_update_id=-1');
    const write: Send = (user) => {
      const to = encodeURIComponent(JSON.stringify([this.#anyone().userId]));
      const content = encodeURIComponent(`Are you there at ${Date.now()}?`);
      return this.#post(user, '/messages', `type=direct&to=${to}&content=${content}`);
    };
    const read: Send = (user) =>
      this.#send(user, 'GET', '/messages?anchor=newest&num_before=20&num_after=0');
    const markRead: Send = (user) => this.#post(user, '/mark_all_as_read', '');
    const repeated = (count: number, send: Send) => Array.from({ length: count }, () => send);
    this.#mix = [
      ...repeated(10, report),
      ...repeated(4, write),
      ...repeated(4, read),
      ...repeated(2, markRead),
    ];
  }

  /** Sends until the signal; resolves after the last answer. */
  async run(perSecond: number, clients: number, signal: AbortSignal): Promise<void> {
    const polls = this.realm.users.slice(0, clients).map((user) => this.#poll(user, signal));
    const pending = new Set<Promise<void>>();
    const startedAt = performance.now();
    for (let turn = 0; !signal.aborted; turn += 1) {
      const due = startedAt + (turn * 1000) / perSecond;
      const early = due - performance.now();
      if (early > 0) await delay(early);
      while (this.#inFlight >= MAX_IN_FLIGHT) await delay(10);
      const one = this.#timed(turn, due);
      pending.add(one);
      void one.finally(() => pending.delete(one));
    }
    await Promise.all(pending);
    // Held polls end with their connections.
    this.#agent.destroy();
    await Promise.all(polls);
  }

  take(): SoakCounts {
    const counts = { latencies: this.#latencies, failed: this.#failed, events: this.#events };
    this.#latencies = [];
    this.#failed = 0;
    this.#events = 0;
    return counts;
  }

  async #timed(turn: number, due: number): Promise<void> {
    this.#inFlight += 1;
    try {
      const send = this.#mix[(turn * 7) % this.#mix.length];
      const answer = await send?.(this.#anyone());
      if (answer?.status === 200) this.#latencies.push(performance.now() - due);
      else this.#note(`${answer?.status} ${answer?.text}`);
    } catch (error) {
      this.#note(String(error));
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** A client that registers a queue and polls it until the signal. */
  async #poll(user: BenchUser, signal: AbortSignal): Promise<void> {
    let queue: { id: string; last: number } | null = null;
    while (!signal.aborted) {
      try {
        queue ??= await this.#register(user);
        const path = `/events?queue_id=${encodeURIComponent(queue.id)}&last_event_id=${queue.last}`;
        const { status, text } = await this.#send(user, 'GET', path);
        if (status !== 200) throw new Error(`${status} ${text}`);
        // The documented form of an answer.
        const { events } = JSON.parse(text) as { events: { id: number; type: string }[] };
        for (const { id } of events) queue.last = Math.max(queue.last, id);
        this.#events += events.filter(({ type }) => type !== 'heartbeat').length;
      } catch (error) {
        if (signal.aborted) return;
        this.#note(`poll: ${String(error)}`);
        queue = null;
        await delay(REPEAT_MS);
      }
    }
  }

  async #register(user: BenchUser): Promise<{ id: string; last: number }> {
    const types = encodeURIComponent('["message","update_message_flags","presence"]');
    const fields = `event_types=${types}&fetch_event_types=${encodeURIComponent('["message"]')}`;
    const { status, text } = await this.#post(user, '/register', fields);
    if (status !== 200) throw new Error(`${status} ${text}`);
    // The documented form of an answer.
    const body = JSON.parse(text) as { queue_id: string; last_event_id: number };
    return { id: body.queue_id, last: body.last_event_id };
  }

  #post(user: BenchUser, path: string, fields: string): Promise<Answer> {
    return this.#send(user, 'POST', path, fields);
  }

  #send(user: BenchUser, method: string, path: string, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.port,
          path: `/api/v1${path}`,
          method,
          agent: this.#agent,
          timeout: DEADLINE_MS,
          headers: {
            host: this.realm.host,
            authorization: `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString('base64')}`,
            ...(method === 'POST' && {
              'content-type': 'application/x-www-form-urlencoded',
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              text: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('No answer')));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  #anyone(): BenchUser {
    const { users } = this.realm;
    const user = users[Math.floor(Math.random() * users.length)];
    if (user === undefined) throw new Error('The organisation is empty');
    return user;
  }

  #note(reason: string): void {
    this.#failed += 1;
    this.lastFailure = reason.slice(0, 300);
  }
}
