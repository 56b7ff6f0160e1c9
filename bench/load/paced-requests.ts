import { setTimeout as delay } from 'node:timers/promises';
import { HttpConnection } from './http-connection.js';
import { isSuccess } from './push-crowd.js';
import { Counts, type Tally } from './tally.js';

/** A request that was answered. */
export interface PacedAnswer {
  /** Which of the requests it was, as they turn. */
  readonly turn: number;
  /** When it was due, in UNIX milliseconds. */
  readonly dueAt: number;
  /** From then to its answer, in milliseconds. */
  readonly latencyMs: number;
}

export interface PacedRun {
  readonly answers: readonly PacedAnswer[];
  readonly tally: Tally;
}

/**
 * Makes requests at a steady pace, whether or not those before are answered, as people do who do not know of
 * each other. A request that finds all connections taken waits, and its time counts from when it was due: what
 * a server holds up cannot hide behind requests that were never made.
 */
export class PacedRequests {
  constructor(
    private readonly options: {
      readonly port: number;
      readonly perSecond: number;
      readonly connections: number;
      /** Texts of whole requests, made in turn. */
      readonly requests: readonly string[];
    },
  ) {}

  /** Goes on until `work` has settled, and rejects if that does. */
  async during(work: () => Promise<unknown>): Promise<PacedRun> {
    const { port, perSecond, connections: count, requests } = this.options;
    const connections = await Promise.all(
      Array.from({ length: count }, () => HttpConnection.open(port)),
    );
    const pool = new Pool(connections);
    const counts = new Counts();
    const answers: PacedAnswer[] = [];
    const exchange = async (turn: number, due: number) => {
      const { status, body } = await pool.exchange(requests[turn % requests.length] ?? '');
      if (!isSuccess(status, body)) return counts.addWrong(`${status} ${body}`);
      counts.addRight(0);
      answers.push({
        turn,
        dueAt: performance.timeOrigin + due,
        latencyMs: performance.now() - due,
      });
    };
    try {
      const pending: Promise<void>[] = [];
      const startedAt = performance.now();
      const over = new AbortController();
      const worked = work().finally(() => over.abort());
      worked.catch(() => undefined);
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        const due = startedAt + (turn * 1000) / perSecond;
        const early = due - performance.now();
        if (early > 0) await delay(early);
        pending.push(exchange(turn, due));
      }
      await Promise.all([worked, ...pending]);
    } finally {
      for (const connection of connections) connection.close();
    }
    return { answers, tally: counts.tally() };
  }
}

/** Connections, each of which carries one request at a time; who comes when none is free waits in line. */
class Pool {
  readonly #free: HttpConnection[];
  readonly #line: ((connection: HttpConnection) => void)[] = [];

  constructor(connections: readonly HttpConnection[]) {
    this.#free = [...connections];
  }

  async exchange(request: string) {
    const connection = this.#free.pop() ?? (await this.#next());
    const answer = await connection.exchange(request);
    const first = this.#line.shift();
    if (first === undefined) this.#free.push(connection);
    else first(connection);
    return answer;
  }

  #next(): Promise<HttpConnection> {
    return new Promise((resolve) => this.#line.push(resolve));
  }
}
