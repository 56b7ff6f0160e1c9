import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ZodType } from 'zod';
import { errorText, parseJsonOrUndefined } from '#platform/core';
import { closeRedis, openRedis, type Redis, subscribeTo, untilReady } from '#platform/redis';
import { PUB_SUB_REDIS, QUEUE_OPTIONS, type QueueOptions } from './queue-options.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** The time limit of the first subscription for the connection. */
const CONNECT_DEADLINE_MS = 500;

/** A Redis channel between processes, and the type of its messages. */
export interface Topic<Message> {
  readonly name: string;
  /** The name for all topics of this kind in logs and metrics. */
  readonly source: string;
  /** Parses every version of the message by its `v`, and drops unknown members. */
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
 * Publish and subscribe over Redis: a worker publishes the result of a job to the gateway that waits for it.
 * BullMQ's own events would reach every gateway for every job.
 *
 * Redis stores no message, and delivers none during an outage: a caller that needs certainty reads PostgreSQL.
 * Messages that do not fit the schema of their topic are dropped and counted.
 */
@Injectable()
export class PubSub implements OnApplicationShutdown {
  readonly #logger = new Logger(PubSub.name);
  readonly #handlers = new Map<string, Set<TextHandler>>();
  #subscriber: Redis | undefined;
  #connecting: Promise<void> | undefined;

  constructor(
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
    @Inject(PUB_SUB_REDIS) private readonly redis: Redis,
    private readonly unreadable: UnreadableMessages,
  ) {}

  /** Resolves with the number of processes that subscribe to the topic; rejects when Redis is down. */
  publish<Message>(topic: Topic<Message>, message: Message): Promise<number> {
    return this.redis.publish(this.#channelOf(topic), JSON.stringify(message));
  }

  /**
   * Publishes a message, and waits until every process that subscribes to its topic has published to `acks`, for a limited
   * time. Resolves with whether all of them have; rejects when Redis is down.
   */
  async publishAcknowledged<Message>(
    topic: Topic<Message>,
    message: Message,
    acks: Topic<unknown>,
    deadlineMs: number,
  ): Promise<boolean> {
    const received = await this.subscribe(acks);
    try {
      const processes = await this.publish(topic, message);
      return (await received.receive(processes, deadlineMs)).length >= processes;
    } finally {
      received.close();
    }
  }

  /** The subscription is active when this resolves; rejects when Redis is down. */
  async subscribe<Message>(topic: Topic<Message>): Promise<Subscription<Message>> {
    const channel = this.#channelOf(topic);
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
      await subscriber.subscribe(channel);
    } catch (error) {
      close();
      throw error;
    }
    return { receive: (count, timeoutMs) => inbox.take(count, timeoutMs), close };
  }

  /**
   * Calls back for every message of a topic for the lifetime of the process, and subscribes again after each reconnect to
   * Redis. A callback that rejects is logged; the subscription continues.
   */
  onMessage<Message>(topic: Topic<Message>, callback: (message: Message) => Promise<void>): void {
    const channel = this.#channelOf(topic);
    const onFailure = (error: unknown) =>
      this.#logger.error(`A message of ${topic.source} failed: ${errorText(error)}`);
    const handler = this.#parsing(topic, (message) => void callback(message).catch(onFailure));
    this.#handlersOf(channel).add(handler);
    const subscriber = (this.#subscriber ??= this.#connect());
    if (subscriber.status === 'ready') subscribeTo(subscriber, [channel]);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#subscriber !== undefined) await closeRedis(this.#subscriber);
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
    const subscriber = openRedis(this.options.url, 'pub-sub');
    subscriber.on('ready', () => subscribeTo(subscriber, [...this.#handlers.keys()]));
    subscriber.on('message', (channel: string, text: string) => {
      for (const handle of this.#handlers.get(channel) ?? []) handle(text);
    });
    return subscriber;
  }

  #parsing<Message>(topic: Topic<Message>, take: (message: Message) => void): TextHandler {
    return (text) => {
      // No schema accepts the undefined of a text that is not JSON.
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

  #channelOf({ name }: Topic<unknown>): string {
    return `${this.options.prefix}:message:${name}`;
  }
}

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
