import { ConfigError } from '#platform/config';
import { ApiError } from '#platform/contracts';
import { errorCodes, errorText, isStatementTimeout } from '#platform/core';
import { CommandFailure } from '../command-failure.js';
import type { Connections } from './connections.js';

/** PostgreSQL's codes for a missing table, column or schema. */
const OUTDATED: ReadonlySet<unknown> = new Set(['42P01', '42703', '3F000']);

const CONNECTION_ERROR =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|timeout|terminated|28P01|28000|3D000|53300|57P0/i;

/** Maps an error to the failure of a command. `connections` is called only for an error of a store. */
export function explainFailure(thrown: unknown, connections: () => Connections): CommandFailure {
  if (thrown instanceof CommandFailure) return thrown;
  const options = { cause: thrown };
  if (thrown instanceof ConfigError) {
    return new CommandFailure('not_configured', thrown.message, options);
  }
  if (thrown instanceof ApiError) return new CommandFailure('refused', thrown.message, options);
  const codes = errorCodes(thrown);
  if (codes.some((code) => OUTDATED.has(code))) {
    return new CommandFailure(
      'database_outdated',
      'The database schema is of another version. Run the migration step (`node dist/deploy/docker/migrate.js`, or `npm start`) and repeat the command.',
      options,
    );
  }
  if (isStatementTimeout(thrown)) {
    return new CommandFailure(
      'took_too_long',
      'PostgreSQL cancelled a statement after 15 seconds. It is overloaded, or another transaction holds a lock: pg_stat_activity shows both. Repeat the command then. `push history` of a device or a token may search all rows: search by --user or --id, which have an index.',
      options,
    );
  }
  if (CONNECTION_ERROR.test(`${codes.join(' ')} ${errorText(thrown)}`)) {
    return new CommandFailure(
      'database_unreachable',
      `PostgreSQL at ${hostOf(connections().databaseUrl)} cannot be used: ${errorText(thrown)}. Check DATABASE_URL; on a laptop, \`npm start\` must be running.`,
      options,
    );
  }
  return new CommandFailure('unexpected', errorText(thrown), options);
}

/** The failure of a command that cannot use the Redis with the URLs of `variable`. */
export const redisUnreachable = (
  urls: readonly string[],
  variable: string,
  cause: unknown,
): CommandFailure =>
  new CommandFailure(
    'redis_unreachable',
    `Redis at ${urls.map(hostOf).join(', ')} cannot be used: ${errorText(cause)}. Check ${variable}; on a laptop, \`npm start\` must be running. Nothing was changed.`,
    { cause },
  );

/** The host without the credentials in the URL. */
const hostOf = (url: string): string => /\/\/(?:[^@/]*@)?([^/]+)/.exec(url)?.[1] ?? 'its address';
