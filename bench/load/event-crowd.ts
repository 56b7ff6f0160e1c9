import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../measure/percentile.js';
import type { BenchUser } from '../world/bench-world.js';
import { FormRequest } from './form-request.js';
import { HttpConnection } from './http-connection.js';
import { inParallel } from './in-parallel.js';

const CHECK_MS = 20;
const HELD_POLLS = /^carillon_events_held_polls (\d+)$/m;
const EXAMPLE_LENGTH = 300;
const REGISTERING_CONNECTIONS = 16;
const QUEUE_ONLY = 'fetch_event_types=%5B%5D&event_types=%5B%22user_status%22%5D';
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
    const clients: Client[] = [];
    const rest = plan.users.slice(0, plan.polling);
    await inParallel(plan.port, REGISTERING_CONNECTIONS, async (registering) => {
      const user = rest.pop();
      if (user === undefined) return false;
      const request = new FormRequest(plan.host, '/register', user).with(QUEUE_ONLY);
      const { status, body } = await registering.exchange(request);
      if (status !== 200) throw new Error(`Registered with ${status}: ${body}`);
      const { queue_id: queueId, last_event_id: lastId } = JSON.parse(body) as {
        queue_id: string;
        last_event_id: number;
      };
      const connection = await HttpConnection.open(plan.port);
      const poll = pollRequest(plan.host, user, queueId);
      clients.push({ connection, poll, lastId: String(lastId) });
      return true;
    });
    return new EventCrowd(plan, clients, await HttpConnection.open(plan.port));
  }

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
    return { lastMs, p99Ms, seconds, wrong: this.#wrong.splice(0).slice(0, 3) };
  }

  /** Registrations in a second, with the whole state. */
  async register(count: number): Promise<number> {
    let left = count;
    const startedAt = performance.now();
    await inParallel(this.plan.port, REGISTERING_CONNECTIONS, async (connection) => {
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
    const text = `round${(this.#round += 1)}`;
    const polls = this.clients.map(async (client) => {
      const { status, body } = await client.connection.exchange(client.poll(client.lastId));
      const ms = performance.now() - startedAt;
      const id = /"id":(\d+)\}\]/.exec(body)?.[1];
      if (status !== 200 || id === undefined || !body.includes(`"${text}"`)) {
        this.#wrong.push(`${status} ${body.slice(0, EXAMPLE_LENGTH)}`);
      }
      client.lastId = id ?? client.lastId;
      return ms;
    });
    await this.#untilHeld();
    const [user] = this.plan.users;
    if (user === undefined) throw new Error('There are no users.');
    startedAt = performance.now();
    const request = new FormRequest(this.plan.host, '/users/me/status', user);
    const { status, body } = await this.changing.exchange(request.with(`status_text=${text}`));
    if (status !== 200) this.#wrong.push(`${status} ${body.slice(0, EXAMPLE_LENGTH)}`);
    return Promise.all(polls);
  }

  async #untilHeld(): Promise<void> {
    for (;;) {
      const text = await (await fetch(this.plan.metricsUrl)).text();
      if (Number(HELD_POLLS.exec(text)?.[1]) >= this.clients.length) return;
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
