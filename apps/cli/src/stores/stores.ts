import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CliConfig, readCliConfig } from '#platform/config';
import { pushJobs, type QueueName } from '#push/jobs';
import { lazily } from '#platform/core';
import type { OutboundProxy } from '#platform/outbound';
import type { Redis } from '#platform/redis';
import type { CommandFailure } from '../command-failure.js';
import { type Connections, connectionsOf } from './connections.js';
import { redisUnreachable } from './explain-failure.js';
import type { Resolver, Modules } from './with-modules.js';

const READY_DEADLINE_MS = 2000;
const READY_POLL_MS = 20;
/** A command runs its statements one after another. */
const POOL_SIZE = 2;

/** The environment of a command; tests use their own environment and prefix. */
export interface StoreSettings {
  readonly environment?: Readonly<Record<string, string>>;
  readonly queuePrefix?: string;
}

interface QueueNeeds {
  /** Whether the command fails while the queues are down; true by default. */
  readonly isNeeded?: boolean;
  /** The queues that must answer; by default all. On a Redis Cluster, each may be on another node. */
  readonly queues?: readonly QueueName[];
}

/**
 * The stores of an installation for the duration of a command. Libs and the framework are loaded only when a command
 * needs them, because loading all of them takes longer than most commands.
 */
export class Stores {
  readonly #installation = lazily(() => {
    const config = readCliConfig(this.settings.environment);
    return { config, connections: connectionsOf(config) };
  });

  constructor(private readonly settings: StoreSettings) {}

  /** The variables of the command; undefined: those of the process. */
  get environment(): Readonly<Record<string, string>> | undefined {
    return this.settings.environment;
  }

  /** Throws CommandFailure if the installation is not configured. */
  get connections(): Connections {
    return this.#installation().connections;
  }

  /** The secret of the gateways; throws ConfigError if it is missing or unreadable. */
  get apiKeySecret(): Buffer {
    return this.#installation().config.apiKeySecret();
  }

  /** The secret of encrypted notifications; throws ConfigError if it is missing or unreadable. */
  get pushKeySecret(): Buffer {
    return this.#installation().config.pushKeySecret();
  }

  /** The push service of another server; throws ConfigError without its address. */
  get pushService(): ReturnType<CliConfig['pushService']> {
    return readCliConfig(this.settings.environment).pushService();
  }

  /** The way of requests to other servers; undefined for a direct one. Rejects for settings that cannot be read. */
  async outboundProxy(): Promise<OutboundProxy | undefined> {
    const { readOutboundProxy } = await import('#platform/outbound');
    return readOutboundProxy(readCliConfig(this.settings.environment).outboundProxy());
  }

  /** Runs work with modules that need only the database. */
  async withDatabase<Result>(
    modules: Modules,
    work: (resolve: Resolver) => Promise<Result>,
  ): Promise<Result> {
    const { DatabaseModule } = await import('#platform/database');
    const { OperatorActionsModule } = await import('#platform/operator-actions');
    const { withModules } = await import('./with-modules.js');
    const { databaseUrl: url } = this.connections;
    const { isBehindPooler } = this.#installation().config;
    const database = { url, poolSize: POOL_SIZE, isBehindPooler };
    const actions = OperatorActionsModule.of(`cli:${systemUser()}`);
    return withModules([DatabaseModule.connect(database), actions, ...modules], work);
  }

  /**
   * Runs work with modules that also need the queues, all or the named ones. Rejects with CommandFailure while their Redis is
   * down; with `isNeeded` false, the work handles the outage.
   */
  async withQueues<Result>(
    modules: Modules,
    work: (resolve: Resolver) => Promise<Result>,
    { isNeeded = true, queues: needed }: QueueNeeds = {},
  ): Promise<Result> {
    const { JobQueues, QueueModule } = await import('#platform/queue');
    const { REDIS, RedisModule, untilReady } = await import('#platform/redis');
    const { redisUrl: url, queueRedisUrls } = this.connections;
    const queueUrls = queueRedisUrls ?? [url];
    const variable = queueRedisUrls === null ? 'REDIS_URL' : 'QUEUE_REDIS_URL';
    const queues = QueueModule.connect(queueUrls, pushJobs, this.settings.queuePrefix);
    return this.withDatabase([RedisModule.connect(url), queues, ...modules], async (resolve) => {
      const isConnected = untilReady(resolve<Redis>(REDIS), READY_DEADLINE_MS);
      const answers = untilAnswered(
        () => resolve(JobQueues).ping(needed),
        (error) => redisUnreachable(queueUrls, variable, error),
      );
      await Promise.all([
        isNeeded ? answers : answers.catch(() => undefined),
        // Without a connection the work publishes nothing.
        isConnected.catch(() => undefined),
      ]);
      return work(resolve);
    });
  }

  /** Runs work that needs only Redis. Rejects with CommandFailure while Redis is down. */
  async withRedis<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    const { closeRedis, openRedis, orOutage } = await import('#platform/redis');
    const { redisUrl } = this.connections;
    const redis = openRedis(redisUrl, 'command line');
    try {
      await untilAnswered(
        async () => void (await orOutage(redis, redis.ping())),
        (error) => redisUnreachable([redisUrl], 'REDIS_URL', error),
      );
      return await work(redis);
    } finally {
      await closeRedis(redis);
    }
  }
}

/** In a container the user of the process may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** A new connection rejects commands until it is ready. */
async function untilAnswered(
  ping: () => Promise<void>,
  failureOf: (error: unknown) => CommandFailure,
): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    try {
      await ping();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw failureOf(error);
    }
    await sleep(READY_POLL_MS);
  }
}
