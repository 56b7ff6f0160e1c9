import type { OnlineUser } from '../world/steady-realms.js';
import { ConnectionPool } from './connection-pool.js';
import { FormRequest } from './form-request.js';
import { inParallel } from './in-parallel.js';
import type { Poll, PollCarrier } from './poll-carrier.js';

const PATH = '/users/me/presence';
const ACCEPTS = ['Accept-Encoding: gzip'];
const SIGN_IN_CONNECTIONS = 32;

/** Sends the polls of users to a gateway over HTTP, with authentication. */
export class HttpPolls {
  readonly #requests: ReadonlyMap<number, FormRequest>;

  constructor(
    private readonly port: number,
    users: readonly OnlineUser[],
  ) {
    this.#requests = new Map(
      users.map((user) => [user.userId, new FormRequest(user.host, PATH, user, ACCEPTS)]),
    );
  }

  /** Opens this number of connections. Each carries one poll at a time. */
  async open(connections: number): Promise<PollCarrier> {
    const pool = await ConnectionPool.open(this.port, connections);
    return {
      exchange: (poll) => pool.exchange(this.#requestOf(poll)),
      close: () => pool.close(),
    };
  }

  /** Signs in every user without a report: the server refuses an unknown status only after the sign-in. */
  async signIn(): Promise<void> {
    const rest = this.#requests.values();
    await inParallel(this.port, SIGN_IN_CONNECTIONS, async (connection) => {
      const { value: request } = rest.next();
      if (request === undefined) return false;
      const { status, body } = await connection.exchange(request.with('status=none'));
      if (status !== 400) throw new Error(`A sign-in was answered with ${status}: ${body}`);
      return true;
    });
  }

  #requestOf({ user, cursor, pingOnly }: Poll): string {
    const request = this.#requests.get(user.userId);
    if (request === undefined) throw new Error('Unknown user in a poll.');
    const fields = `status=active&last_update_id=${cursor}`;
    return request.with(pingOnly ? `${fields}&ping_only=true` : fields);
  }
}
