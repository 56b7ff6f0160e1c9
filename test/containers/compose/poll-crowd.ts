import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { eventually } from '#test/eventually';
import { sendRequest } from '#test/http-request';
import { FormRequest, getRequest } from '../../../bench/load/form-request.js';
import { HttpConnection } from '../../../bench/load/http-connection.js';
import type { BenchUser } from '../../../bench/world/bench-world.js';
import { addressOf } from './containers.js';

const PORT = 9991;
const HELD_POLLS = /^carillon_events_held_polls (\d+)$/m;
const LAST_ID = /"id":(\d+)\}\]/;
const QUEUE_OF_MESSAGES = 'fetch_event_types=%5B%5D&event_types=%5B%22message%22%5D';
/** As many begin at once; the next ones when these are held. */
const GROUP = 200;
const RETRY_MS = 1000;
const HELD_MS = 600_000;

/**
 * Clients that hold polls for messages, each on a connection to the proxy. Like other clients, they try again after 5xx and
 * after the end of a connection. They use the address of the container: the program of the engine that forwards the published
 * port has a limit of open files of its own.
 */
export class PollCrowd {
  /** The clients that have got a message. */
  readonly notified = new Set<string>();
  /** Other answers, after which a client does not poll again. */
  readonly failures: string[] = [];
  /** How often a request was repeated, by what came in place of its answer. */
  readonly repeated: Record<string, number> = {};
  #isOn = true;
  readonly #connections = new Set<HttpConnection>();

  private constructor(
    private readonly proxy: string,
    private readonly metricsUrl: string,
    private readonly host: string,
  ) {}

  /** Resolves when the polls of all are held. */
  static async hold(users: readonly BenchUser[], host: string): Promise<PollCrowd> {
    const metricsUrl = `http://${await addressOf('api-gateway')}:9996/metrics`;
    const crowd = new PollCrowd(await addressOf('proxy'), metricsUrl, host);
    for (let held = 0; held < users.length; held += GROUP) {
      const group = users.slice(held, held + GROUP);
      for (const user of group) {
        void crowd.#poll(user).catch((error: unknown) => crowd.failures.push(String(error)));
      }
      await eventually(() => crowd.#expectHeld(held + group.length), HELD_MS);
    }
    return crowd;
  }

  end(): void {
    this.#isOn = false;
    for (const connection of this.#connections) connection.close();
  }

  async #expectHeld(count: number): Promise<void> {
    const { text } = await sendRequest(this.metricsUrl);
    expect(this.failures).toEqual([]);
    expect(Number(HELD_POLLS.exec(text)?.[1])).toBeGreaterThanOrEqual(count);
  }

  async #poll(user: BenchUser): Promise<void> {
    const register = new FormRequest(this.host, '/register', user).with(QUEUE_OF_MESSAGES);
    const exchange = this.#exchanges();
    const { queue_id: queueId, last_event_id: firstId } = JSON.parse(await exchange(register)) as {
      readonly queue_id: string;
      readonly last_event_id: number;
    };
    let lastId = String(firstId);
    while (this.#isOn) {
      const path = `/events?queue_id=${queueId}&last_event_id=${lastId}`;
      const body = await exchange(getRequest(this.host, path, user));
      lastId = LAST_ID.exec(body)?.[1] ?? lastId;
      if (body.includes('"type":"message"')) this.notified.add(queueId);
    }
  }

  /** Requests of one client, which resolve with the body of their answer. */
  #exchanges(): (request: string) => Promise<string> {
    let connection: HttpConnection | undefined;
    return async (request) => {
      for (;;) {
        connection ??= await this.#open();
        const answer = await connection?.exchange(request).catch(() => undefined);
        if (answer?.status === 200) return answer.body;
        if (answer === undefined) {
          if (connection !== undefined) this.#connections.delete(connection);
          connection = undefined;
        } else if (answer.status < 500) {
          throw new Error(`${answer.status} ${answer.body}`);
        }
        const reason = answer?.status ?? 'closed';
        this.repeated[reason] = (this.repeated[reason] ?? 0) + 1;
        await delay(RETRY_MS);
        if (!this.#isOn) throw new Error('The crowd has ended');
      }
    };
  }

  async #open(): Promise<HttpConnection | undefined> {
    const connection = await HttpConnection.open(PORT, this.proxy).catch(() => undefined);
    if (connection !== undefined) this.#connections.add(connection);
    return connection;
  }
}
