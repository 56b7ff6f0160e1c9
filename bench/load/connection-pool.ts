import { type Answer, HttpConnection } from './http-connection.js';

/** Connections, each of which carries one request at a time; who comes when none is free waits in line. */
export class ConnectionPool {
  readonly #free: HttpConnection[];
  readonly #line: ((connection: HttpConnection) => void)[] = [];

  private constructor(private readonly connections: readonly HttpConnection[]) {
    this.#free = [...connections];
  }

  static async open(port: number, count: number): Promise<ConnectionPool> {
    return new ConnectionPool(
      await Promise.all(Array.from({ length: count }, () => HttpConnection.open(port))),
    );
  }

  /** Sends the text of a whole request. */
  async exchange(request: string): Promise<Answer> {
    const connection = this.#free.pop() ?? (await this.#next());
    const answer = await connection.exchange(request);
    const first = this.#line.shift();
    if (first === undefined) this.#free.push(connection);
    else first(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }

  #next(): Promise<HttpConnection> {
    return new Promise((resolve) => this.#line.push(resolve));
  }
}
