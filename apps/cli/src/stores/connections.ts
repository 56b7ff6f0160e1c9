import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { CliConfig } from '#platform/config';
import { CommandFailure } from '../command-failure.js';

/** The stores of an installation. */
export interface Connections {
  /** Throws CommandFailure if it is not configured; so does `redisUrl`. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The Redis of the queues alone: one server, or nodes of a cluster. Null: they are on `redisUrl`. */
  readonly queueRedisUrls: readonly string[] | null;
  /** Null if it is not configured. */
  readonly externalUrl: string | null;
}

/** The used part of the file that `npm start` writes. */
const localStack = z.object({
  base_url: z.string(),
  services: z.object({ database_url: z.string(), redis_url: z.string() }),
});

/**
 * The installation from the environment variables, or else the one that `npm start` runs in this folder. Never a
 * mixture. Throws CommandFailure if neither is configured.
 */
export function connectionsOf(config: CliConfig): Connections {
  const { databaseUrl, redisUrl, queueRedisUrls, externalUrl = null } = config;
  if (databaseUrl === undefined && redisUrl === undefined) return localConnections(config);
  return {
    get databaseUrl() {
      return given(databaseUrl, 'DATABASE_URL', 'REDIS_URL');
    },
    get redisUrl() {
      return given(redisUrl, 'REDIS_URL', 'DATABASE_URL');
    },
    queueRedisUrls,
    externalUrl,
  };
}

function given(url: string | undefined, name: string, other: string): string {
  if (url !== undefined) return url;
  throw new CommandFailure(
    'not_configured',
    `${name} is not set, though ${other} is. Set both as for the gateway, or neither to use what \`npm start\` runs in this folder.`,
  );
}

function localConnections(config: CliConfig): Connections {
  const file = path.join(config.dataDir, 'demo.json');
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(
      'not_configured',
      [
        'The stores of Carillon are not configured.',
        '  On a server: set DATABASE_URL and REDIS_URL, as for the gateway.',
        `  On a laptop: run \`npm start\` in another terminal first; it writes ${file}.`,
      ].join('\n'),
      { cause: error },
    );
  }
  const { base_url, services } = localStack.parse(JSON.parse(content));
  return {
    databaseUrl: services.database_url,
    redisUrl: services.redis_url,
    // `npm start` gives its programs the variables of its shell, and demo.json does not have this one.
    queueRedisUrls: config.queueRedisUrls,
    externalUrl: config.externalUrl ?? base_url,
  };
}
