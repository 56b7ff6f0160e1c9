import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../measure/percentile.js';
import type { BenchUser } from '../world/bench-world.js';
import { FormRequest } from './form-request.js';
import { HttpConnection } from './http-connection.js';
import { inParallel } from './in-parallel.js';
import { StreamRound } from './stream-round.js';

/** A scrape takes the gateway some milliseconds. */
const CHECK_MS = 200;
const HELD_POLLS = /^carillon_events_held_polls (\d+)$/m;
/** The id of the last event of an answer. */
const LAST_ID = /"id":(\d+)\}\]/;
const EXAMPLE_LENGTH = 300;
const REGISTERING_CONNECTIONS = 16;
/** The form of a registration for one type of events, without state. */
const queueOnly = (type: string) => `fetch_event_types=%5B%5D&event_types=%5B%22${type}%22%5D`;
const MESSAGE_NUMBER = /"content":"number(\d+)"/g;
const SENDING_CONNECTIONS = 8;
/** For the answers with the last messages. */
const LAST_MS = 3000;
/** The form of a registration for the whole state. */
export const CAPABILITIES =
  'client_capabilities=%7B%22user_settings_object%22%3Atrue%2C%22notification_settings_null%22%3Atrue%7D';

export interface EventCrowdPlan {
  readonly port: number;
  readonly host: string;
  /** With the metric of the held polls. */
  readonly metricsUrl: string;
  readonly users: readonly BenchUser[];
  /** The clients that poll; each has its own connection. */
  readonly polling: number;
  /** The type of their events. */
  readonly eventType: 'user_status' | 'message';
}

/** Messages to channels in turn, at a steady pace. */
export interface MessagePlan {
  readonly count: number;
  readonly perSecond: number;
  readonly channelIds: readonly number[];
  /** The clients that get each message. */
  readonly subscribers: number;
}

/** The times in milliseconds from the answers to the senders until the clients had the messages. */
export interface MessageLags {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly wrong: readonly string[];
}

/** The result of some rounds. */
export interface EventRounds {
  /** For each round, the time from the request of the change until the last client had the event. */
  readonly lastMs: readonly number[];
  /** For each round, the 99th percentile of the time until a client had the event. */
  readonly p99Ms: readonly number[];
  /** The time of all rounds, from the first poll to the last answer. */
  readonly seconds: number;
  readonly wrong: readonly string[];
}

interface Client {
  readonly connection: HttpConnection;
  readonly poll: (lastId: string) => string;
  lastId: string;
}

const textOf = (round: number): string => `round${round}`;

/** Clients that wait for events of one organisation, each on its own connection. */
export class EventCrowd {
  readonly #wrong: string[] = [];
  #round = 0;

  private constructor(
    private readonly plan: EventCrowdPlan,
    private readonly clients: readonly Client[],
    private readonly changing: HttpConnection,
  ) {}

  static async gather(plan: EventCrowdPlan): Promise<EventCrowd> {
    const registered: Omit<Client, 'connection'>[] = [];
    const rest = plan.users.slice(0, plan.polling);
    await inParallel(plan.port, REGISTERING_CONNECTIONS, async (registering) => {
      const user = rest.pop();
      if (user === undefined) return false;
      const request = new FormRequest(plan.host, '/register', user).with(queueOnly(plan.eventType));
      const { status, body } = await registering.exchange(request);
      if (status !== 200) throw new Error(`Registered with ${status}: ${body}`);
      const { queue_id: queueId, last_event_id: lastId } = JSON.parse(body) as {
        queue_id: string;
        last_event_id: number;
      };
      const poll = pollRequest(plan.host, user, queueId);
      registered.push({ poll, lastId: String(lastId) });
      return true;
    });
    const clients: Client[] = [];
    // Not before: a server closes connections without a request for half a minute.
    for (const client of registered) {
      clients.push({ ...client, connection: await HttpConnection.open(plan.port) });
    }
    return new EventCrowd(plan, clients, await HttpConnection.open(plan.port));
  }

  /** Changes one after the other, each when all clients wait. */
  async rounds(count: number): Promise<EventRounds> {
    const lastMs: number[] = [];
    const p99Ms: number[] = [];
    const startedAt = performance.now();
    for (let round = 0; round < count; round += 1) {
      const times = await this.#change();
      p99Ms.push(percentile(times, 0.99));
      lastMs.push(percentile(times, 1));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    return { lastMs, p99Ms, seconds, wrong: this.#takeWrong() };
  }

  /** Changes one after the other, each as soon as all clients have the previous one. Clients poll again at once. */
  async stream(count: number): Promise<EventRounds> {
    const rounds = Array.from({ length: count }, () => new StreamRound(this.clients.length));
    const base = this.#round;
    this.#round += count;
    const startedAt = performance.now();
    const polls = this.clients.map(async (client) => {
      for (const [index, round] of rounds.entries()) {
        await this.#pollUntil(client, textOf(base + index + 1));
        round.received();
      }
    });
    for (const [index, round] of rounds.entries()) {
      round.begin();
      await this.#send(textOf(base + index + 1));
      await Promise.race([round.ended, Promise.all(polls)]);
    }
    await Promise.all(polls);
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      lastMs: rounds.map(({ times }) => percentile(times, 1)),
      p99Ms: rounds.map(({ times }) => percentile(times, 0.99)),
      seconds,
      wrong: this.#takeWrong(),
    };
  }

  /** Resolves when the polls of all clients are held. They poll again after each answer. */
  async hold(): Promise<void> {
    for (const client of this.clients) void this.#pollOn(client, () => undefined);
    await this.#untilHeld();
  }

  /** Messages while all clients poll; the last work of a crowd. */
  async messages({ count, perSecond, channelIds, subscribers }: MessagePlan): Promise<MessageLags> {
    const received: { readonly number: number; readonly at: number }[] = [];
    for (const client of this.clients) {
      void this.#pollOn(client, (body) => {
        const at = performance.now();
        for (const [, number] of body.matchAll(MESSAGE_NUMBER)) {
          received.push({ number: Number(number), at });
        }
      });
    }
    await this.#untilHeld();
    const sent = await this.#sendAll({ count, perSecond, channelIds });
    await delay(LAST_MS);
    if (received.length !== count * subscribers) {
      this.#wrong.push(`${received.length} of ${count * subscribers} messages were received`);
    }
    const lags = received.map(({ number, at }) => Math.max(0, at - (sent[number] ?? Number.NaN)));
    return {
      p50Ms: percentile(lags, 0.5),
      p99Ms: percentile(lags, 0.99),
      wrong: this.#takeWrong(),
    };
  }

  /** Registrations in a second, with the whole state. */
  async register(count: number, connections: number): Promise<number> {
    let left = count;
    const startedAt = performance.now();
    await inParallel(this.plan.port, connections, async (connection) => {
      if (left === 0) return false;
      left -= 1;
      const user = this.plan.users[left % this.plan.users.length];
      if (user === undefined) throw new Error('There are no users.');
      const request = new FormRequest(this.plan.host, '/register', user).with(CAPABILITIES);
      const { status, body } = await connection.exchange(request);
      if (status !== 200 || !body.includes('"queue_id"')) {
        throw new Error(`Registered with ${status}: ${body.slice(0, EXAMPLE_LENGTH)}`);
      }
      return true;
    });
    return count / ((performance.now() - startedAt) / 1000);
  }

  /** Resolves with the time for each client. */
  async #change(): Promise<number[]> {
    let startedAt = Number.NaN;
    const text = textOf((this.#round += 1));
    const polls = this.clients.map(async (client) => {
      await this.#pollUntil(client, text);
      return performance.now() - startedAt;
    });
    await this.#untilHeld();
    startedAt = performance.now();
    await this.#send(text);
    return Promise.all(polls);
  }

  async #send(text: string): Promise<void> {
    const request = this.#requestOf('/users/me/status').with(`status_text=${text}`);
    const { status, body } = await this.changing.exchange(request);
    if (status !== 200) this.#wrong.push(`${status} ${body.slice(0, EXAMPLE_LENGTH)}`);
  }

  /** Resolves with the time of the answer to each message, by its number. */
  async #sendAll({ count, perSecond, channelIds }: Omit<MessagePlan, 'subscribers'>) {
    const times: number[] = [];
    const request = this.#requestOf('/messages');
    const startedAt = performance.now();
    let next = 0;
    await inParallel(this.plan.port, SENDING_CONNECTIONS, async (connection) => {
      if (next === count) return false;
      const number = next;
      next += 1;
      await delay(Math.max(0, startedAt + (number * 1000) / perSecond - performance.now()));
      const to = channelIds[number % channelIds.length] ?? 0;
      const form = `type=channel&to=${to}&topic=bench&content=number${number}`;
      const { status, body } = await connection.exchange(request.with(form));
      times[number] = performance.now();
      if (status !== 200) this.#wrong.push(`${status} ${body.slice(0, EXAMPLE_LENGTH)}`);
      return true;
    });
    return times;
  }

  #requestOf(path: string): FormRequest {
    const [user] = this.plan.users;
    if (user === undefined) throw new Error('There are no users.');
    return new FormRequest(this.plan.host, path, user);
  }

  async #pollOn(client: Client, onAnswer: (body: string) => void): Promise<void> {
    for (;;) {
      const { status, body } = await client.connection.exchange(client.poll(client.lastId));
      if (status !== 200) {
        this.#wrong.push(`${status} ${body.slice(0, EXAMPLE_LENGTH)}`);
        return;
      }
      client.lastId = LAST_ID.exec(body)?.[1] ?? client.lastId;
      onAnswer(body);
    }
  }

  #takeWrong(): string[] {
    return this.#wrong.splice(0).slice(0, 3);
  }

  /** Polls until the event with a text has come: on a slow machine, polls may end with heartbeats before the change. */
  async #pollUntil(client: Client, text: string): Promise<void> {
    for (;;) {
      const { status, body } = await client.connection.exchange(client.poll(client.lastId));
      client.lastId = LAST_ID.exec(body)?.[1] ?? client.lastId;
      if (status === 200 && body.includes(`"${text}"`)) return;
      if (status === 200 && body.includes('"heartbeat"')) continue;
      this.#wrong.push(`${status} ${body.slice(0, EXAMPLE_LENGTH)}`);
      if (status !== 200) throw new Error(this.#wrong.at(-1));
    }
  }

  async #untilHeld(): Promise<void> {
    for (;;) {
      const text = await (await fetch(this.plan.metricsUrl)).text();
      if (Number(HELD_POLLS.exec(text)?.[1]) >= this.clients.length) return;
      // Such a client does not poll again.
      if (this.#wrong.length > 0) throw new Error(this.#wrong[0]);
      await delay(CHECK_MS);
    }
  }
}

function pollRequest(host: string, { email, apiKey }: BenchUser, queueId: string) {
  const credentials = Buffer.from(`${email}:${apiKey}`).toString('base64');
  const head = `GET /api/v1/events?queue_id=${queueId}&last_event_id=`;
  const tail = ` HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Basic ${credentials}\r\n\r\n`;
  return (lastId: string) => head + lastId + tail;
}
