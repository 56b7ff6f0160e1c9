import { setTimeout as sleep } from 'node:timers/promises';
import { type CliConfig, readCliConfig } from '#config';
import { errorText } from '#core';
import { CommandFailure } from '../command-failure.js';
import type { Finder, Modules } from './lend.js';
import { type Place, placeOf } from './place.js';

const READY_DEADLINE_MS = 2000;
const READY_POLL_MS = 20;
/** Before the keys of every installation's queues. */
const QUEUE_PREFIX = 'carillon';
/** One command does one thing after the other. */
const POOL_SIZE = 2;

/** Where a command is run; a test gives an environment and a prefix of its own. */
export interface StoreSettings {
  readonly environment?: Readonly<Record<string, string>>;
  readonly queuePrefix?: string;
}

/**
 * The stores of an installation, for as long as a command takes. Libs, and the framework, are loaded when
 * a command needs them: all of them together take longer than most commands do.
 */
export class Stores {
  #opened: { readonly config: CliConfig; readonly place: Place } | undefined;

  constructor(private readonly settings: StoreSettings) {}

  /** Throws CommandFailure when nothing says where the installation is. */
  get place(): Place {
    return this.#settled().place;
  }

  /** The secret of the gateways; throws ConfigError when it is neither set nor readable. */
  get apiKeySecret(): Buffer {
    return this.#settled().config.apiKeySecret();
  }

  /** Before the keys of the queues in Redis. */
  get queuePrefix(): string {
    return this.settings.queuePrefix ?? QUEUE_PREFIX;
  }

  /** Lends the use cases of modules that need the database alone. */
  async withDatabase<Result>(
    modules: Modules,
    work: (find: Finder) => Promise<Result>,
  ): Promise<Result> {
    const { DatabaseModule } = await import('#database');
    const { lend } = await import('./lend.js');
    const database = { url: this.place.databaseUrl, poolSize: POOL_SIZE };
    return lend([DatabaseModule.connect(database), ...modules], work);
  }

  /**
   * Lends those of modules that need the queues as well. Rejects with CommandFailure when Redis is away,
   * unless they are not `isNeeded`: then the work copes with it.
   */
  async withQueues<Result>(
    modules: Modules,
    work: (find: Finder) => Promise<Result>,
    { isNeeded = true } = {},
  ): Promise<Result> {
    const { JobQueues, QueueModule } = await import('#queue');
    const queues = QueueModule.connect({ url: this.place.redisUrl, prefix: this.queuePrefix });
    return this.withDatabase([queues, ...modules], async (find) => {
      const answers = untilItAnswers(() => find(JobQueues).ping());
      await (isNeeded ? answers : answers.catch(() => undefined));
      return work(find);
    });
  }

  #settled(): { readonly config: CliConfig; readonly place: Place } {
    if (this.#opened === undefined) {
      const config = readCliConfig(this.settings.environment);
      this.#opened = { config, place: placeOf(config) };
    }
    return this.#opened;
  }
}

/** A connection that has just been opened refuses every command until it is there. */
async function untilItAnswers(ping: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    try {
      await ping();
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        throw new CommandFailure('redis_unreachable', errorText(error), { cause: error });
      }
    }
    await sleep(READY_POLL_MS);
  }
}
