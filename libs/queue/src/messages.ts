import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ZodType } from 'zod';
import { errorText } from '#core';
import { closeRedis, openRedis, type Redis, untilReady } from '#redis';
import { QUEUE_OPTIONS, QUEUE_REDIS, type QueueOptions } from './queue-options.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** The first listener waits this long for the connection. */
const CONNECT_DEADLINE_MS = 500;

/** A channel between processes, and the messages on it. */
export interface Topic<Message> {
  readonly name: string;
  /** Stands for all topics of its kind in logs and metrics. */
  readonly source: string;
  /** Reads every version of the message, by its `v`, and drops members that it does not know. */
  readonly schema: ZodType<Message>;
}

/** Hears what is said about one topic; whoever opened it closes it. */
export interface Listener<Message> {
  /** What was said since the listener was opened: `count` messages, or fewer when no more came in time. */
  hear(count: number, timeoutMs: number): Promise<readonly Message[]>;
  close(): void;
}

type Hearer = (text: string) => void;

/**
 * Short messages between processes, each to those who listen at the moment: a worker tells who waits
 * for a job what came of it. A queue's own events would reach every gateway for every job.
 *
 * Nothing is kept, and nothing arrives while Redis is away: whoever must be certain asks PostgreSQL. Messages that do
 * not fit the schema of their topic are dropped, and reported.
 */
@Injectable()
export class Messages implements OnApplicationShutdown {
  readonly #logger = new Logger(Messages.name);
  readonly #hearers = new Map<string, Set<Hearer>>();
  #subscriber: Redis | undefined;
  #opening: Promise<void> | undefined;

  constructor(
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
    @Inject(QUEUE_REDIS) private readonly redis: Redis,
    private readonly unreadable: UnreadableMessages,
  ) {}

  /** Resolves with how many processes listen; rejects when Redis is away. */
  tell<Message>(topic: Topic<Message>, message: Message): Promise<number> {
    return this.redis.publish(this.#channelOf(topic), JSON.stringify(message));
  }

  /** Listens from the moment this resolves; rejects when Redis is away. */
  async listen<Message>(topic: Topic<Message>): Promise<Listener<Message>> {
    const channel = this.#channelOf(topic);
    const subscriber = await this.#open();
    const heard = new Heard<Message>();
    const hear = this.#hearer(topic, (message) => heard.add(message));
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

  /**
   * Calls back for every message about a topic, whenever Redis is there, as long as the process lives. A failure of the
   * callback is logged and ends nothing.
   */
  follow<Message>(topic: Topic<Message>, onMessage: (message: Message) => Promise<void>): void {
    const channel = this.#channelOf(topic);
    const onFailure = (error: unknown) =>
      this.#logger.error(`A message of ${topic.source} failed: ${errorText(error)}`);
    const hear = this.#hearer(topic, (message) => void onMessage(message).catch(onFailure));
    this.#hearersOf(channel).add(hear);
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
      for (const hear of this.#hearers.get(channel) ?? []) hear(message);
    });
    return subscriber;
  }

  #hearer<Message>(topic: Topic<Message>, take: (message: Message) => void): Hearer {
    return (text) => {
      const message = topic.schema.safeParse(parsedJson(text));
      if (message.success) take(message.data);
      else this.unreadable.dropped(topic.source);
    };
  }

  #hearersOf(channel: string): Set<Hearer> {
    const hearers = this.#hearers.get(channel) ?? new Set();
    this.#hearers.set(channel, hearers);
    return hearers;
  }

  #channelOf({ name }: Topic<unknown>): string {
    return `${this.options.prefix}:message:${name}`;
  }
}

/** Undefined when it is none; no schema takes that. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a listener has heard so far. */
class Heard<Message> {
  readonly #messages: Message[] = [];
  #onMessage: () => void = () => undefined;

  add(message: Message): void {
    this.#messages.push(message);
    this.#onMessage();
  }

  async first(count: number, timeoutMs: number): Promise<readonly Message[]> {
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
