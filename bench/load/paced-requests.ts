import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionPool } from './connection-pool.js';
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
    const pool = await ConnectionPool.open(port, count);
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
      pool.close();
    }
    return { answers, tally: counts.tally() };
  }
}
