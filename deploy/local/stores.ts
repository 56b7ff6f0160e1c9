import path from 'node:path';
import type { Progress } from './command.js';
import type { Lifetime } from './lifetime.js';
import { assertPostgresAnswers, startPostgres } from './postgres-server.js';
import type { PrivateServer } from './private-server.js';
import { assertRedisAnswers, startRedis } from './redis-server.js';

/** The URLs of the database and of Redis. */
export interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** The options of the stores. */
interface StoresPlan {
  readonly root: string;
  /** The data folder of private servers. */
  readonly folder: string;
  readonly isThrowaway: boolean;
  /** Existing stores to use; they are checked, but not started or stopped. */
  readonly given: {
    readonly databaseUrl?: string | undefined;
    readonly redisUrl?: string | undefined;
  };
  readonly progress: Progress;
  /** Called with each private server that has started. */
  readonly onStart?: (name: string, server: PrivateServer) => void;
}

/** Starts the stores that are not given, and stops them at the end, the database last. */
export async function openStores(plan: StoresPlan, lifetime: Lifetime): Promise<Stores> {
  const { progress, given, isThrowaway, onStart } = plan;
  const servers: { postgres?: PrivateServer; redis?: PrivateServer } = {};
  lifetime.defer(async () => {
    await servers.redis?.stop();
    await servers.postgres?.stop();
  });
  const optionsFor = (name: string) => ({ ...plan, folder: path.join(plan.folder, name) });

  const postgres = async () => {
    if (given.databaseUrl !== undefined) return useGiven(given.databaseUrl, assertPostgresAnswers);
    servers.postgres = await startPostgres(optionsFor('postgres'), (home) => {
      if (isThrowaway) lifetime.removeAtEnd(home);
    });
    onStart?.('PostgreSQL', servers.postgres);
    return servers.postgres;
  };
  const redis = async () => {
    if (given.redisUrl !== undefined) return useGiven(given.redisUrl, assertRedisAnswers);
    servers.redis = await startRedis(optionsFor('redis'));
    onStart?.('Redis', servers.redis);
    return servers.redis;
  };
  const [database, queue] = await Promise.all([
    progress.step('PostgreSQL', postgres, (server) => server.title),
    progress.step('Redis', redis, (server) => server.title),
  ]);
  return { databaseUrl: database.url, redisUrl: queue.url };
}

async function useGiven(url: string, assertAnswers: (url: string) => Promise<void>) {
  await assertAnswers(url);
  const name = url.startsWith('postgres') ? 'PostgreSQL' : 'Redis';
  // An address of several servers is not a URL.
  const [, host = ''] = /\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  return { url, title: `${name} at ${host}, as set in the environment` };
}
