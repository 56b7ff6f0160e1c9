import { ConfigError } from '#config';
import { ApiError } from '#contracts';
import { errorText } from '#core';
import { CommandFailure } from '../command-failure.js';
import type { Place } from './place.js';

/** What PostgreSQL answers when a table or a column is not there, and when a statement took too long. */
const OUTDATED = new Set(['42P01', '42703', '3F000']);
const TOOK_TOO_LONG = '57014';

const CONNECTION_TROUBLE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|timeout|terminated|28P01|28000|3D000|53300|57P0/i;

/** What to tell whoever gave the command of what was thrown; `place` is asked only when it is at fault. */
export function explainFailure(thrown: unknown, place: () => Place): CommandFailure {
  if (thrown instanceof CommandFailure) {
    return thrown.code === 'redis_unreachable' ? redisUnreachable(thrown, place()) : thrown;
  }
  const options = { cause: thrown };
  if (thrown instanceof ConfigError) {
    return new CommandFailure('not_configured', thrown.message, options);
  }
  if (thrown instanceof ApiError) return new CommandFailure('refused', thrown.message, options);
  const code = codeOf(thrown);
  if (OUTDATED.has(code)) {
    return new CommandFailure(
      'database_outdated',
      'The database is not of this version. Run the migration step (`node dist/deploy/docker/migrate.js`, or `npm start`) and repeat the command.',
      options,
    );
  }
  if (code === TOOK_TOO_LONG) {
    return new CommandFailure(
      'took_too_long',
      'The database broke the search off after 15 seconds. Ask by --user or by --id, for which there is an index.',
      options,
    );
  }
  if (CONNECTION_TROUBLE.test(`${code} ${errorText(thrown)}`)) {
    return new CommandFailure(
      'database_unreachable',
      `PostgreSQL at ${hostOf(place().databaseUrl)} cannot be used: ${errorText(thrown)}. DATABASE_URL says where it is; on a machine of your own, \`npm start\` must be running.`,
      options,
    );
  }
  return new CommandFailure('unexpected', errorText(thrown), options);
}

const redisUnreachable = ({ cause }: CommandFailure, { redisUrl }: Place): CommandFailure =>
  new CommandFailure(
    'redis_unreachable',
    `Redis at ${hostOf(redisUrl)} does not answer. REDIS_URL says where it is; on a machine of your own, \`npm start\` must be running. Nothing was changed.`,
    { cause },
  );

/** Without the name and the password that may be in it. */
const hostOf = (url: string): string => new URL(url).host;

/** PostgreSQL's own, or that of the system call that failed; Prisma hides the first in its cause. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const inner = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause;
  const own = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  // Codes of Prisma begin with a P, those of PostgreSQL mostly with a digit.
  return own === '' || /^P\d{4}$/.test(own) ? codeOf(inner) || own : own;
}
