import type {
  OnlineQuery,
  OnlineReading,
  PresenceRequest,
  PresenceService,
  PresenceViewer,
  UserPresenceQuery,
  UserReading,
  VisibilityChange,
} from '#presence/rpc';
import { PresenceClient } from '#presence/client';
import { PresenceCounters } from '#presence/metrics';
import { PresenceServer } from '#presence/server';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { presenceRequest } from './presence-request.js';

export const HOST = '127.0.0.1';

/** The cursor of every report in these tests. */
export const CURSOR = 5;

export const request = (
  userId: number,
  different: Partial<PresenceRequest> = {},
): PresenceRequest => presenceRequest({ userId, lastUpdateId: CURSOR, ...different });

export const hiding = (userId: number, changedAt: number): VisibilityChange => {
  return { realmId: 1, userId, joinedAt: 1, isVisible: false, changedAt };
};

/** A presence service that answers with its name, after a test has released it. */
export class ScriptedService implements PresenceService {
  readonly received: (PresenceRequest | VisibilityChange)[] = [];
  #isHolding = false;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly name: string) {}

  async report(asked: PresenceRequest): Promise<string> {
    this.received.push(asked);
    if (this.#isHolding) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return `${this.name} ${asked.userId}`;
  }

  async changeVisibility(asked: VisibilityChange): Promise<void> {
    this.received.push(asked);
  }

  async readRealm(asked: PresenceViewer): Promise<string> {
    return `${this.name} realm ${asked.realmId}`;
  }

  async readUser(asked: UserPresenceQuery): Promise<UserReading> {
    return { activeAt: 0, idleAt: asked.askedUserId };
  }

  async readOnline({ aboveId }: OnlineQuery): Promise<OnlineReading> {
    return { users: [], position: aboveId };
  }

  hold(): void {
    this.#isHolding = true;
  }

  letGo(): void {
    this.#isHolding = false;
    for (const resume of this.#waiting.splice(0).toReversed()) resume();
  }
}

/** Options of a client; by default it has one process and a long deadline. */
interface ClientTraits {
  readonly processes?: number;
  readonly deadlineMs?: number;
  readonly secret?: Buffer | null;
  /** The name that replaces the addresses of the processes. */
  readonly names?: FakeNames;
}

/** A fake DNS with one name and the ports of its servers; the lookup fails without ports. */
export class FakeNames {
  #ports: readonly number[] | null = null;

  readonly resolve = async (): Promise<{ host: string; port: number }[]> => {
    if (!this.#ports) throw new Error('getaddrinfo ENOTFOUND presence');
    return this.#ports.map((port) => ({ host: HOST, port }));
  };

  standFor(...ports: readonly number[]): void {
    this.#ports = ports;
  }

  fail(): void {
    this.#ports = null;
  }
}

/** The lookup interval of a client. */
export const DISCOVERY_MS = 20;

/** Slots for a few presence processes, and their clients. */
export class TransportWorld {
  /** The counters of all its presence processes. */
  readonly counters = new PresenceCounters();
  readonly #undo: (() => unknown)[] = [];

  private constructor(private readonly ports: readonly number[]) {}

  static async create(processes = 2): Promise<TransportWorld> {
    return new TransportWorld(await freePorts(processes));
  }

  portOf(index: number): number {
    return this.ports[index] ?? 0;
  }

  async serve(
    service: PresenceService,
    index = 0,
    secret: Buffer | null = null,
  ): Promise<PresenceServer> {
    const server = new PresenceServer(service, this.counters, secret);
    await server.listen({ host: HOST, port: this.portOf(index) });
    this.closeLater(() => server.close());
    return server;
  }

  /** A client, connected or not. */
  open({
    processes = 1,
    deadlineMs = 5000,
    secret = null,
    names,
  }: ClientTraits = {}): PresenceClient {
    const addresses = names
      ? [{ host: 'presence', port: 1 }]
      : this.ports.slice(0, processes).map((port) => ({ host: HOST, port }));
    const discovery = names && { resolve: names.resolve, discoveryMs: DISCOVERY_MS };
    const client = new PresenceClient({ addresses, deadlineMs, secret, ...discovery });
    this.closeLater(() => client.close());
    return client;
  }

  /** A client that is connected to at least one process. */
  async connect(traits: ClientTraits = {}): Promise<PresenceClient> {
    const client = this.open(traits);
    await eventually(() => {
      if (!client.isConnected) throw new Error('Not connected');
    });
    return client;
  }

  closeLater(close: () => unknown): void {
    this.#undo.push(close);
  }

  /** Closes everything, in reverse order. */
  async end(): Promise<void> {
    for (const step of this.#undo.splice(0).toReversed()) await step();
  }
}
