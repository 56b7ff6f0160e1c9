import { Redis } from 'ioredis';
import { ConfigError } from '#config';

const DEADLINE_MS = 2000;
/** The client waits this long for a connection to close, also when there is none. */
const DISCONNECT_MS = 200;

/**
 * Whether an error is Redis' refusal of the database number in the address. Redis then goes on with database 0, which
 * belongs to somebody else.
 */
export const isDatabaseRefusal = (error: unknown): error is Error =>
  error instanceof Error &&
  'command' in error &&
  // As the client describes the command that was refused.
  (error.command as { readonly name?: unknown }).name === 'select';

/**
 * Rejects with ConfigError when there is no such database as the address in `variable` names. Resolves when there is,
 * and also when the server does not answer in two seconds: programs start without it.
 */
export async function refuseMissingDatabase(url: string, variable: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: DEADLINE_MS,
    commandTimeout: DEADLINE_MS,
    disconnectTimeout: DISCONNECT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  const { db = 0 } = redis.options;
  if (db === 0) return;
  let refusal: string | null = null;
  redis.on('error', (error) => {
    if (isDatabaseRefusal(error)) refusal = error.message;
  });
  await redis.connect().catch(() => undefined);
  redis.disconnect();
  if (refusal !== null) {
    throw new ConfigError([`${variable}: there is no database ${db} (Redis says: ${refusal})`]);
  }
}
