import type { OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { ZodType } from 'zod';
import { parseJsonOrUndefined, ToleratedFailures, withinDeadline } from '#platform/core';
import { closeRedis, COMMAND_TIMEOUT_MS, untilReady } from './redis.js';
import type { UnreadableMessages } from './unreadable-messages.js';

/** The time limit of a subscription for the connection. */
const CONNECT_DEADLINE_MS = 500;

/** A Redis channel between processes, and the type of its messages, which are JSON texts. */
export interface Topic<Message> {
  /** The channel. */
  readonly name: string;
  /** The name for all topics of this kind in logs and metrics. */
  readonly source: string;
  /** Parses every version of the message, and drops unknown members. An empty text is parsed as undefined. */
  readonly schema: ZodType<Message>;
}

/** Collects the messages of one topic. The subscriber closes it. */
export interface Subscription<Message> {
  /**
   * Resolves with the first `count` messages since the start of the subscription, or with fewer after `timeoutMs`.
   */
  receive(count: number, timeoutMs: number): Promise<readonly Message[]>;
  close(): void;
}

type TextHandler = (text: string) => void;

/**
 * Publish and subscribe over Redis. It subscribes again after each reconnect.
 *
 * Redis stores no message, and delivers none that was published while the connection was lost: a caller that needs
 * certainty reads PostgreSQL. Messages that do not fit the schema of their topic are dropped and counted.
 */
export class PubSub implements OnApplicationShutdown {
  readonly #failures = new ToleratedFailures(PubSub.name);
  readonly #handlers = new Map<string, Set<TextHandler>>();
  #subscriber: Redis | undefined;
  #connecting: Promise<void> | undefined;
  #receivingSince = Number.POSITIVE_INFINITY;

  /** Publishes over a connection, and opens another one with its options for the first subscription. */
  constructor(
    private readonly redis: Redis,
    private readonly unreadable: UnreadableMessages,
  ) {}

  /** Returns at once. The message is lost while Redis is down. */
  publish<Message>(topic: Topic<Message>, message: NoInfer<Message>): void {
    this.#publish(topic, message).catch((error: unknown) => this.#failures.record(error));
  }

  /**
   * Publishes a message, and waits until every process that subscribes to its topic has published to `acks`, for a limited
   * time. Resolves with whether all of them have; rejects when Redis is down.
   */
  async publishAcknowledged<Message>(
    topic: Topic<Message>,
    message: NoInfer<Message>,
    acks: Topic<unknown>,
    deadlineMs: number,
  ): Promise<boolean> {
    const received = await this.subscribe(acks);
    try {
      const processes = await this.#publish(topic, message);
      return (await received.receive(processes, deadlineMs)).length >= processes;
    } finally {
      received.close();
    }
  }

  /** The subscription is active when this resolves; rejects when Redis is down. */
  async subscribe<Message>(topic: Topic<Message>): Promise<Subscription<Message>> {
    const channel = topic.name;
    const subscriber = await this.#connected();
    const inbox = new Inbox<Message>();
    const handler = this.#parsing(topic, (message) => inbox.add(message));
    const handlers = this.#handlersOf(channel).add(handler);
    const close = () => {
      handlers.delete(handler);
      if (handlers.size > 0) return;
      this.#handlers.delete(channel);
      subscriber.unsubscribe(channel).catch(() => undefined);
    };
    try {
      await withinDeadline(COMMAND_TIMEOUT_MS, subscriber.subscribe(channel), noAnswer);
    } catch (error) {
      close();
      throw error;
    }
    return { receive: (count, timeoutMs) => inbox.take(count, timeoutMs), close };
  }

  /**
   * Calls back for every message of a topic for the lifetime of the process. A callback that throws or rejects is recorded
   * as a defect; the subscription continues.
   */
  onMessage<Message>(topic: Topic<Message>, callback: (message: Message) => unknown): void {
    const call = async (message: Message) => {
      try {
        await callback(message);
      } catch (error) {
        this.#failures.record(error);
      }
    };
    this.#handlersOf(topic.name).add(this.#parsing(topic, (message) => void call(message)));
    const subscriber = (this.#subscriber ??= this.#connect());
    if (subscriber.status === 'ready') this.#subscribeTo(subscriber, [topic.name]);
  }

  /**
   * The time of `performance.now()`: every message that is published after it to a topic of `onMessage` is delivered.
   * Infinity while the connection is lost.
   */
  get receivingSince(): number {
    return this.#receivingSince;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#subscriber !== undefined) await closeRedis(this.#subscriber);
  }

  /** Resolves with the number of processes that subscribe to the topic. */
  #publish<Message>({ name }: Topic<Message>, message: Message): Promise<number> {
    return this.redis.publish(name, JSON.stringify(message));
  }

  async #connected(): Promise<Redis> {
    const subscriber = (this.#subscriber ??= this.#connect());
    this.#connecting ??= untilReady(subscriber, CONNECT_DEADLINE_MS).finally(() => {
      this.#connecting = undefined;
    });
    await this.#connecting;
    return subscriber;
  }

  #connect(): Redis {
    const subscriber = this.redis.duplicate({
      connectionName: 'carillon-pub-sub',
      enableAutoPipelining: false,
      // Redis executes also a SUBSCRIBE that takes longer, and the messages arrive.
      commandTimeout: undefined,
    });
    // The other connection logs the outages.
    subscriber.on('error', () => undefined);
    subscriber.on('ready', () => this.#subscribeTo(subscriber, [...this.#handlers.keys()]));
    subscriber.on('close', () => {
      this.#receivingSince = Number.POSITIVE_INFINITY;
    });
    subscriber.on('message', (channel: string, text: string) => {
      for (const handle of this.#handlers.get(channel) ?? []) handle(text);
    });
    return subscriber;
  }

  /** A failure is a lost connection: the next one subscribes to all channels. */
  #subscribeTo(subscriber: Redis, channels: readonly string[]): void {
    if (channels.length === 0) return;
    const onSubscribed = () => {
      this.#receivingSince = performance.now();
    };
    subscriber.subscribe(...channels).then(onSubscribed, () => undefined);
  }

  #parsing<Message>(topic: Topic<Message>, take: (message: Message) => void): TextHandler {
    return (text) => {
      const message = topic.schema.safeParse(parseJsonOrUndefined(text));
      if (message.success) take(message.data);
      else this.unreadable.recordDropped(topic.source);
    };
  }

  #handlersOf(channel: string): Set<TextHandler> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers);
    return handlers;
  }
}

const noAnswer = () => Promise.reject(new Error('Redis does not answer'));

/** The messages that a subscription has received so far. */
class Inbox<Message> {
  readonly #messages: Message[] = [];
  #onMessage: () => void = () => undefined;

  add(message: Message): void {
    this.#messages.push(message);
    this.#onMessage();
  }

  async take(count: number, timeoutMs: number): Promise<readonly Message[]> {
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
