import type {
  PresenceRequest,
  PresenceService,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
  VisibilityChange,
} from '#contracts';
import { PresenceClient, PresenceCounters, PresenceServer } from '#presence';
import { eventually } from '../support/eventually.js';
import { freePorts } from '../support/free-ports.js';
import { presenceRequest } from '../support/presence-request.js';

export const HOST = '127.0.0.1';

/** What a client says of its place in what it has been told, in every report of these tests. */
export const CURSOR = 5;

export const request = (
  userId: number,
  different: Partial<PresenceRequest> = {},
): PresenceRequest => presenceRequest({ userId, lastUpdateId: CURSOR, ...different });

export const hiding = (userId: number, changedAt: number): VisibilityChange => {
  return { realmId: 1, userId, joinedAt: 1, isVisible: false, changedAt };
};

/** A presence service that answers with its name, and not before it is let. */
export class ScriptedService implements PresenceService {
  readonly told: (PresenceRequest | VisibilityChange)[] = [];
  #isHolding = false;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly name: string) {}

  async report(asked: PresenceRequest): Promise<string> {
    this.told.push(asked);
    if (this.#isHolding) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return `${this.name} ${asked.userId}`;
  }

  async changeVisibility(asked: VisibilityChange): Promise<void> {
    this.told.push(asked);
  }

  async readRealm(asked: PresenceViewer): Promise<string> {
    return `${this.name} realm ${asked.realmId}`;
  }

  async readUser(asked: UserPresenceQuestion): Promise<UserReading> {
    return { activeAt: 0, idleAt: asked.askedUserId };
  }

  hold(): void {
    this.#isHolding = true;
  }

  letGo(): void {
    this.#isHolding = false;
    for (const resume of this.#waiting.splice(0).toReversed()) resume();
  }
}

/** How a client is different from one of a single process that has time. */
interface ClientTraits {
  readonly processes?: number;
  readonly deadlineMs?: number;
  readonly secret?: Buffer | null;
}

/** Places for two presence processes, and clients that look for them there. */
export class TransportWorld {
  /** What all its presence processes count. */
  readonly counters = new PresenceCounters();
  readonly #undo: (() => unknown)[] = [];

  private constructor(private readonly ports: readonly number[]) {}

  static async create(): Promise<TransportWorld> {
    return new TransportWorld(await freePorts(2));
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

  /** A client, whether or not anybody serves it. */
  open({ processes = 1, deadlineMs = 5000, secret = null }: ClientTraits = {}): PresenceClient {
    const addresses = this.ports.slice(0, processes).map((port) => ({ host: HOST, port }));
    const client = new PresenceClient({ addresses, deadlineMs, secret });
    this.closeLater(() => client.close());
    return client;
  }

  /** A client that is connected to one process at least. */
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

  /** Undoes everything, the last first. */
  async end(): Promise<void> {
    for (const step of this.#undo.splice(0).toReversed()) await step();
  }
}
