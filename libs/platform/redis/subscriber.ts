import type { OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ToleratedFailures } from '#platform/core';
import { closeRedis } from './redis.js';

/**
 * A connection that subscribes to channels, again after each reconnect. Redis delivers nothing that was published while
 * the connection was lost. The application closes it.
 */
export class Subscriber implements OnApplicationShutdown {
  readonly #connection: Redis;
  readonly #listeners = new Map<string, (text: string) => void>();
  readonly #failures = new ToleratedFailures(Subscriber.name);
  #receivingSince = Number.POSITIVE_INFINITY;

  /** Opens a connection with the options of another one, which logs the outages. */
  constructor(redis: Redis) {
    this.#connection = redis.duplicate({ enableAutoPipelining: false });
    this.#connection.on('error', () => undefined);
    this.#connection.on('ready', () => this.#subscribe([...this.#listeners.keys()]));
    this.#connection.on('close', () => {
      this.#receivingSince = Number.POSITIVE_INFINITY;
    });
    this.#connection.on('message', (channel: string, text: string) => {
      try {
        this.#listeners.get(channel)?.(text);
      } catch (error) {
        // An error in an event of the connection would end the program.
        this.#failures.record(error);
      }
    });
  }

  /**
   * Calls back for each message of a channel; a channel has one listener. A message whose listener throws, such as one of
   * another release that it cannot read, is dropped.
   */
  onMessage(channel: string, listener: (text: string) => void): void {
    this.#listeners.set(channel, listener);
    if (this.#connection.status === 'ready') this.#subscribe([channel]);
  }

  /**
   * The time of `performance.now()`: every message that is published to the channels after it is delivered. Infinity while
   * the connection is lost.
   */
  get receivingSince(): number {
    return this.#receivingSince;
  }

  #subscribe(channels: readonly string[]): void {
    subscribeTo(this.#connection, channels, () => {
      this.#receivingSince = performance.now();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.#connection);
  }
}

/**
 * Subscribes a connection to channels. A failure is a lost connection, or becomes one after a timeout, since nothing tells
 * when Redis has subscribed: the caller subscribes again at each `ready` of the connection.
 */
export function subscribeTo(
  connection: Redis,
  channels: readonly string[],
  onSubscribed: () => void = () => undefined,
): void {
  if (channels.length === 0) return;
  connection.subscribe(...channels).then(onSubscribed, (error: Error) => {
    if (error.message === 'Command timed out') connection.disconnect(true);
  });
}
