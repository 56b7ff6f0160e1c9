import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { CliConfig } from '#config';
import { CommandFailure } from '../command-failure.js';

/** Where the installation is that commands are for. */
export interface Place {
  /** Throws CommandFailure when nothing says where it is, as the next does. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Null when it is not known. */
  readonly externalUrl: string | null;
}

/** The part of what `npm start` leaves behind that is needed here. */
const localStack = z.object({
  base_url: z.string(),
  services: z.object({ database_url: z.string(), redis_url: z.string() }),
});

/**
 * The installation of the environment, or else what `npm start` runs in this folder: never a mixture of
 * both. Throws CommandFailure when there is neither.
 */
export function placeOf(config: CliConfig): Place {
  const { databaseUrl, redisUrl, externalUrl = null } = config;
  if (databaseUrl === undefined && redisUrl === undefined) return localPlace(config);
  return {
    get databaseUrl() {
      return given(databaseUrl, 'DATABASE_URL', 'REDIS_URL');
    },
    get redisUrl() {
      return given(redisUrl, 'REDIS_URL', 'DATABASE_URL');
    },
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

function localPlace(config: CliConfig): Place {
  const file = path.join(config.dataDir, 'demo.json');
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(
      'not_configured',
      [
        'Nothing says where the stores of Carillon are.',
        '  On a server: set DATABASE_URL and REDIS_URL, as for the gateway.',
        `  On a machine of your own: run \`npm start\` in another terminal first; it leaves ${file}.`,
      ].join('\n'),
      { cause: error },
    );
  }
  const { base_url, services } = localStack.parse(JSON.parse(content));
  return {
    databaseUrl: services.database_url,
    redisUrl: services.redis_url,
    externalUrl: config.externalUrl ?? base_url,
  };
}
