import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionPool } from './connection-pool.js';
import { isSuccess } from './push-crowd.js';
import { Counts, type Tally } from './tally.js';

/** An answered request. */
export interface PacedAnswer {
  /** The number of the request, from 0. */
  readonly turn: number;
  /** The scheduled time, in UNIX milliseconds. */
  readonly dueAt: number;
  /** The time from `dueAt` to the response, in milliseconds. */
  readonly latencyMs: number;
}

/**
 * Sends requests at a constant rate, independent of the responses (an open load model). A request waits while all
 * connections are busy, and its latency counts from its scheduled time. A slow server therefore cannot reduce the load
 * and hide its delay (coordinated omission).
 */
export class PacedRequests {
  constructor(
    private readonly options: {
      readonly port: number;
      readonly perSecond: number;
      readonly connections: number;
      /** Complete requests, which are sent in turn. */
      readonly requests: readonly string[];
    },
  ) {}

  /** Sends requests until `work` settles; rejects if it rejects. */
  async during(
    work: () => Promise<unknown>,
  ): Promise<{ readonly answers: readonly PacedAnswer[]; readonly tally: Tally }> {
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
