import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { WorkInFlight } from '#platform/core';
import { PubSub, type Topic } from '#platform/queue';

const serverStop = z.object({
  v: z.literal(1),
  id: z.uuid(),
  kind: z.enum(['server', 'realm']),
  /** The id of the row. */
  senderId: z.int(),
});

type ServerStop = z.infer<typeof serverStop>;

/** All workers subscribe to it. */
const serverStops: Topic<ServerStop> = {
  name: 'server-stops',
  source: 'server-stops',
  schema: serverStop,
};

const ack = z.object({ v: z.literal(1) });

/** The topic on which workers acknowledge a stop. */
const stopAcks = (id: string): Topic<z.infer<typeof ack>> => ({
  name: `server-stop-acks-${id}`,
  source: 'server-stop-acks',
  schema: ack,
});

/** A stop waits no longer for a worker that has died, or for a provider that does not answer it. */
const ACK_DEADLINE_MS = 500;

/** Announces to all workers that a server or an organisation was stopped, or that a server has ended its registration. */
@Injectable()
export class ServerStops {
  readonly #logger = new Logger(ServerStops.name);

  constructor(private readonly pubSub: PubSub) {}

  /**
   * Called after the commit, with the id of a row. When it resolves, no worker starts a push that it has claimed before, and
   * the pushes in flight are answered; unless Redis is down or a worker is too slow. Never rejects.
   */
  async announce(kind: ServerStop['kind'], senderId: number): Promise<void> {
    const id = randomUUID();
    try {
      const message = { v: 1 as const, id, kind, senderId };
      await this.pubSub.publishAcknowledged(serverStops, message, stopAcks(id), ACK_DEADLINE_MS);
    } catch (error) {
      this.#logger.debug(`A stop was not published to the workers: ${String(error)}`);
    }
  }
}

/** The sender of a delivery, as a claim has read it. */
export interface ClaimedSender {
  readonly serverId: number;
  readonly realmId: number | null;
  /** When the claim began, by the monotonic clock of this process. */
  readonly claimedAt: number;
}

/** Longer than the time between a claim and its push; a later claim reads the stop from PostgreSQL. */
const KEPT_MS = 300_000;
const MAX_KEPT = 100_000;

/** The servers and organisations that were stopped within minutes. A worker checks them directly before it sends a push. */
@Injectable()
export class StoppedServers implements OnModuleInit {
  /** When this process learned of the stop, by its monotonic clock. */
  readonly #stoppedAt = new LRUCache<string, number>({ max: MAX_KEPT, ttl: KEPT_MS });
  readonly #inFlight = new WorkInFlight<string>();

  constructor(private readonly pubSub: PubSub) {}

  onModuleInit(): void {
    this.pubSub.onMessage(serverStops, (message) => this.#stop(message));
  }

  /** Whether the sender was stopped after the claim. A later claim finds whether it still is. */
  isStopped(sender: ClaimedSender): boolean {
    return keysOf(sender).some((key) => sender.claimedAt < (this.#stoppedAt.get(key) ?? 0));
  }

  /** A stop of the server or the organisation waits for this push. */
  track<Result>(sender: Omit<ClaimedSender, 'claimedAt'>, push: Promise<Result>): Promise<Result> {
    return keysOf(sender).reduce((work, key) => this.#inFlight.track(key, work), push);
  }

  async #stop({ id, kind, senderId }: ServerStop): Promise<void> {
    const key = `${kind} ${senderId}`;
    this.#stoppedAt.set(key, performance.now());
    await this.#inFlight.settled([key]);
    await this.pubSub.publish(stopAcks(id), { v: 1 }).catch(() => undefined);
  }
}

const keysOf = ({ serverId, realmId }: Omit<ClaimedSender, 'claimedAt'>): string[] =>
  realmId === null ? [`server ${serverId}`] : [`server ${serverId}`, `realm ${realmId}`];
