import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeRedis, openRedis, type Redis, untilReady } from '#redis';
import { QUEUE_OPTIONS, QUEUE_REDIS, type QueueOptions } from './queue-options.js';

/** The first listener waits this long for the connection. */
const CONNECT_DEADLINE_MS = 500;

/** Hears what is said about one topic; whoever opened it closes it. */
export interface Listener {
  /** What was said since the listener was opened: `count` messages, or fewer when no more came in time. */
  hear(count: number, timeoutMs: number): Promise<readonly unknown[]>;
  close(): void;
}

/**
 * Short messages between processes, each to those who listen at the moment: a worker tells who waits
 * for a job what came of it. A queue's own events would reach every gateway for every job.
 *
 * Nothing is kept, and nothing arrives while Redis is away: whoever must be certain asks PostgreSQL.
 */
@Injectable()
export class Messages implements OnApplicationShutdown {
  readonly #hearers = new Map<string, Set<(message: unknown) => void>>();
  #subscriber: Redis | undefined;
  #opening: Promise<void> | undefined;

  constructor(
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
    @Inject(QUEUE_REDIS) private readonly redis: Redis,
  ) {}

  /** Resolves with how many processes listen; rejects when Redis is away. */
  tell(topic: string, message: unknown): Promise<number> {
    return this.redis.publish(this.#channelOf(topic), JSON.stringify(message));
  }

  /** Listens from the moment this resolves; rejects when Redis is away. */
  async listen(topic: string): Promise<Listener> {
    const channel = this.#channelOf(topic);
    const subscriber = await this.#open();
    const heard = new Heard();
    const hear = (message: unknown) => heard.add(message);
    const hearers = this.#hearersOf(channel).add(hear);
    const close = () => {
      hearers.delete(hear);
      if (hearers.size > 0) return;
      this.#hearers.delete(channel);
      subscriber.unsubscribe(channel).catch(() => undefined);
    };
    try {
      await subscriber.subscribe(channel);
    } catch (error) {
      close();
      throw error;
    }
    return { hear: (count, timeoutMs) => heard.first(count, timeoutMs), close };
  }

  /** Calls back for every message about a topic, whenever Redis is there, as long as the process lives. */
  follow(topic: string, onMessage: (message: unknown) => void): void {
    const channel = this.#channelOf(topic);
    this.#hearersOf(channel).add(onMessage);
    const subscriber = (this.#subscriber ??= this.#connect());
    const subscribe = () => void subscriber.subscribe(channel).catch(() => undefined);
    subscriber.on('ready', subscribe);
    if (subscriber.status === 'ready') subscribe();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#subscriber !== undefined) await closeRedis(this.#subscriber);
  }

  async #open(): Promise<Redis> {
    const subscriber = (this.#subscriber ??= this.#connect());
    this.#opening ??= untilReady(subscriber, CONNECT_DEADLINE_MS).finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
    return subscriber;
  }

  #connect(): Redis {
    const subscriber = openRedis(this.options.url, 'messages');
    subscriber.on('message', (channel: string, message: string) => {
      for (const hear of this.#hearers.get(channel) ?? []) hear(JSON.parse(message));
    });
    return subscriber;
  }

  #hearersOf(channel: string): Set<(message: unknown) => void> {
    const hearers = this.#hearers.get(channel) ?? new Set();
    this.#hearers.set(channel, hearers);
    return hearers;
  }

  #channelOf(topic: string): string {
    return `${this.options.prefix}:message:${topic}`;
  }
}

/** What a listener has heard so far. */
class Heard {
  readonly #messages: unknown[] = [];
  #onMessage: () => void = () => undefined;

  add(message: unknown): void {
    this.#messages.push(message);
    this.#onMessage();
  }

  async first(count: number, timeoutMs: number): Promise<readonly unknown[]> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
      this.#onMessage = () => {
        if (this.#messages.length >= count) resolve();
      };
      this.#onMessage();
    });
    clearTimeout(timer);
    return this.#messages.slice(0, count);
  }
}
