import { type Answer, HttpConnection } from './http-connection.js';

/** Connections that carry one request at a time. A request waits in a queue while all connections are busy. */
export class ConnectionPool {
  readonly #free: HttpConnection[];
  readonly #waiting: ((connection: HttpConnection) => void)[] = [];

  private constructor(private readonly connections: readonly HttpConnection[]) {
    this.#free = [...connections];
  }

  static async open(port: number, count: number): Promise<ConnectionPool> {
    return new ConnectionPool(
      await Promise.all(Array.from({ length: count }, () => HttpConnection.open(port))),
    );
  }

  /** Sends a complete request. */
  async exchange(request: string): Promise<Answer> {
    const connection = this.#free.pop() ?? (await this.#next());
    const answer = await connection.exchange(request);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#free.push(connection);
    else waiting(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }

  #next(): Promise<HttpConnection> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
