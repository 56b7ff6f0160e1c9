import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { OnlineUser } from '../world/steady-realms.js';

/** What redis-reading.process.ts works on. */
export interface RedisReadingQuestion {
  readonly redisUrl: string;
  readonly users: readonly OnlineUser[];
}

/**
 * Presence by a design that reads Redis on each poll, with nothing around it: a bare node:http handler that signs
 * in from memory, one script call that does the rest, and the answer's JSON put together from finished members.
 * It is not compressed, which would cost more than to send it over loopback.
 */
export class RedisReading {
  private constructor(
    private readonly process: BenchProcess<RedisReadingQuestion>,
    readonly port: number,
  ) {}

  /** Resolves when it serves and knows these users to be online. */
  static async start(place: ProcessPlace, question: RedisReadingQuestion): Promise<RedisReading> {
    const process = new BenchProcess<RedisReadingQuestion>(
      'limits/redis-reading.process.js',
      place,
    );
    return new RedisReading(process, await process.ask(question));
  }

  get pid(): number {
    return this.process.pid;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
