import { callbackify } from 'node:util';
import { Client, type ClientConfig, type PoolConfig } from 'pg';
import { type DatabaseAddress, databaseAddress, type ServerAddress } from '#platform/config';
import { errorText } from '#platform/core';

const CONNECT_TIMEOUT_MS = 2000;
const ANSWER_TIMEOUT_MS = 1000;
/** Connections that are opened together share one search. */
const KNOWN_MS = 1000;

const IS_STANDBY = 'SELECT pg_is_in_recovery() AS "isStandby"';

/** Finds the primary among the servers of an address. */
class Primary {
  #found: { readonly server: ServerAddress; readonly at: number } | undefined;
  #searching: Promise<ServerAddress> | undefined;

  constructor(private readonly address: DatabaseAddress) {}

  /** Rejects with the code of an outage if no server is a primary at the moment. */
  async find(): Promise<ServerAddress> {
    if (this.#found !== undefined && performance.now() - this.#found.at < KNOWN_MS) {
      return this.#found.server;
    }
    this.#searching ??= this.#search().finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  /** After a failed connection. */
  forget(): void {
    this.#found = undefined;
  }

  async #search(): Promise<ServerAddress> {
    const { servers, url } = this.address;
    try {
      const server = await Promise.any(servers.map((each) => assertPrimary(url, each)));
      this.#found = { server, at: performance.now() };
      return server;
    } catch (error) {
      const reasons = error instanceof AggregateError ? error.errors.map(errorText) : [];
      const text = `No server of the database is a primary: ${reasons.join('; ')}`;
      throw Object.assign(new Error(text, { cause: error }), { code: 'ECONNREFUSED' });
    }
  }
}

async function assertPrimary(url: string, server: ServerAddress): Promise<ServerAddress> {
  const { host, port } = server;
  const name = `${host}:${port}`;
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  client.host = host;
  client.port = port;
  // The statement rejects as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ isStandby: boolean }>(IS_STANDBY);
    if (rows[0]?.isStandby !== false) throw new Error('a standby');
    return server;
  } catch (error) {
    throw new Error(`${name}: ${errorText(error)}`, { cause: error });
  } finally {
    client.end().catch(() => undefined);
  }
}

/** The class of the connections to an address with several servers: each connects to the primary of that moment. */
function primaryClientOf(address: DatabaseAddress): typeof Client {
  const primary = new Primary(address);
  return class PrimaryClient extends Client {
    override connect(): Promise<Client>;
    override connect(
      callback: ((error: Error) => void) | ((error: null, client: Client) => void),
    ): void;
    override connect(
      callback?: ((error: Error) => void) | ((error: null, client: Client) => void),
    ): Promise<Client> | undefined {
      const connect = () => this.#connectToPrimary();
      if (callback === undefined) return connect();
      // The pool gives a callback with two parameters, which is called with an error or with the client.
      callbackify(connect)(callback as (error: Error | null, client?: Client) => void);
      return undefined;
    }

    async #connectToPrimary(): Promise<Client> {
      const { host, port } = await primary.find();
      this.host = host;
      this.port = port;
      try {
        return await super.connect();
      } catch (error) {
        primary.forget();
        throw error;
      }
    }
  };
}

/** The options of a pool for an address of one server, or of several servers of which the primary is used. */
export function poolOptionsOf(url: string): Pick<PoolConfig, 'connectionString' | 'Client'> {
  const address = databaseAddress(url);
  if (address === null || address.servers.length < 2) return { connectionString: url };
  return { connectionString: address.url, Client: primaryClientOf(address) };
}

/** A connection to an address of one server, or to the primary of several servers. The caller opens and closes it. */
export function clientOf(url: string, options: ClientConfig = {}): Client {
  const address = databaseAddress(url);
  if (address === null || address.servers.length < 2) {
    return new Client({ ...options, connectionString: url });
  }
  const PrimaryClient = primaryClientOf(address);
  return new PrimaryClient({ ...options, connectionString: address.url });
}
