import { createHash } from 'node:crypto';
import { hostAndPort, type ServerAddress } from '#platform/config';
import { ClientConnection, type ClientConnectionOptions } from './client-connection.js';

interface PooledServer extends RankedServer {
  readonly connection: ClientConnection;
}

const isOpen = ({ connection }: PooledServer): boolean => connection.isOpen;

/**
 * One connection to each server of a changing set. A server that leaves the set gets calls only until a member of the set
 * is open; its connection closes after its last answer.
 */
export class ConnectionPool {
  #members: ReadonlyMap<string, PooledServer> = new Map();
  /** Former members, in use until a member is open. */
  readonly #leaving = new Map<string, PooledServer>();
  /** Connections that wait for their last answers. */
  readonly #retired = new Set<ClientConnection>();

  constructor(private readonly options: Omit<ClientConnectionOptions, 'address'>) {}

  /** The number of servers, connected or not. */
  get size(): number {
    return this.#members.size + this.#leaving.size;
  }

  /** The number of servers with an open connection. */
  get openCount(): number {
    return this.#open().length;
  }

  /** The number of calls in flight. */
  get calls(): number {
    let calls = 0;
    for (const { connection } of this.#members.values()) calls += connection.size;
    for (const { connection } of this.#leaving.values()) calls += connection.size;
    for (const connection of this.#retired) calls += connection.size;
    return calls;
  }

  /** Replaces the set of servers: connects to new ones and retires the others. */
  use(addresses: readonly ServerAddress[]): void {
    const before = new Map([...this.#leaving, ...this.#members]);
    this.#leaving.clear();
    this.#members = new Map(
      addresses.map((address) => {
        const name = hostAndPort(address);
        return [name, before.get(name) ?? this.#connect(name, address)];
      }),
    );
    for (const [name, server] of before) {
      if (!this.#members.has(name)) this.#leaving.set(name, server);
    }
    this.#retireReplaced();
  }

  /** The server of an organisation: the same on every gateway with the same open servers. Undefined without any. */
  pick(realmId: number): ClientConnection | undefined {
    const server =
      preferredServer(realmId, this.#members.values(), isOpen) ??
      preferredServer(realmId, this.#leaving.values(), isOpen);
    return server?.connection;
  }

  /** All open connections but one. */
  othersThan(connection: ClientConnection | undefined): ClientConnection[] {
    return this.#open().filter((one) => one !== connection);
  }

  /** Rejects the calls in flight. */
  close(): void {
    for (const { connection } of this.#members.values()) connection.close();
    for (const { connection } of this.#leaving.values()) connection.close();
    for (const connection of this.#retired) connection.close();
  }

  #open(): ClientConnection[] {
    return [...this.#members.values(), ...this.#leaving.values()]
      .filter(isOpen)
      .map(({ connection }) => connection);
  }

  #connect(name: string, address: ServerAddress): PooledServer {
    const onOpen = () => {
      this.#retireReplaced();
      this.options.onOpen();
    };
    const connection = new ClientConnection({ ...this.options, address, onOpen });
    return { name, seed: seedOf(name), connection };
  }

  #retireReplaced(): void {
    const hasOpenMember = [...this.#members.values()].some(isOpen);
    for (const [name, server] of this.#leaving) {
      if (!hasOpenMember && isOpen(server)) continue;
      this.#leaving.delete(name);
      this.#retire(server.connection);
    }
  }

  #retire(connection: ClientConnection): void {
    this.#retired.add(connection);
    void connection.retire().then(() => this.#retired.delete(connection));
  }
}

/** A server that organisations can be assigned to. */
export interface RankedServer {
  readonly name: string;
  /** See seedOf. */
  readonly seed: number;
}

/** The part of the weights that depends only on the server. All gateways compute the same seed for a name. */
export const seedOf = (name: string): number =>
  createHash('sha256').update(name).digest().readUInt32BE(0);

/** The finalizer of MurmurHash3 (Austin Appleby): a bijection on 32 bits; each bit of the input changes half of the output. */
function mix(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const weightOf = (realmId: number, seed: number): number => mix(seed ^ mix(realmId));

/**
 * The server of an organisation: the available server with the highest weight. A new server takes organisations from the
 * others and moves none between them. The organisations of a removed server are spread over all others. Undefined if no
 * server is available.
 *
 * Rendezvous hashing: Thaler and Ravishankar, Using name-based mappings to increase hit rates, 1998.
 */
export function preferredServer<Server extends RankedServer>(
  realmId: number,
  servers: Iterable<Server>,
  isAvailable: (server: Server) => boolean,
): Server | undefined {
  let best: Server | undefined;
  let most = -1;
  for (const server of servers) {
    if (!isAvailable(server)) continue;
    const weight = weightOf(realmId, server.seed);
    // Two servers may have the same seed; then the name decides, and not their order.
    const isTie = weight === most && best !== undefined && server.name < best.name;
    if (weight > most || isTie) {
      best = server;
      most = weight;
    }
  }
  return best;
}
