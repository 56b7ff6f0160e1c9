/** The message of ioredis for a command without a connection. */
const NOT_CONNECTED = "Stream isn't writeable and enableOfflineQueue options is false";

/** The messages of pg for a server that is down: they name neither the server nor PostgreSQL. */
const POSTGRESQL_MESSAGES: readonly RegExp[] = [
  /^timeout exceeded when trying to connect$/,
  /^Connection terminated/,
  /^Client has encountered a connection error and is not queryable$/,
  /^Query read timeout$/,
  /^The server does not support SSL connections$/,
];

/** The messages of ioredis for a server that is down: they do not name Redis. */
const REDIS_MESSAGES: readonly RegExp[] = [
  /^Connection is closed\.$/,
  /^Command timed out$/,
  /^Command aborted due to connection close$/,
];

/**
 * The text of an error for an operator, with the store that it is about. A connection to several addresses fails with an
 * AggregateError without a text.
 */
export function errorText(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') {
    return thrown.errors.map(errorText).join('; ');
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  if (text === NOT_CONNECTED) return 'Redis is not connected';
  if (matches(POSTGRESQL_MESSAGES, text)) return `PostgreSQL: ${text}`;
  return matches(REDIS_MESSAGES, text) ? `Redis: ${text}` : text;
}

/** The `code` of an error of the system or of a store, if any. */
export const errorCode = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;

/** The members of errors. Prisma keeps the error of PostgreSQL in its `meta`. */
interface Thrown {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** The search ends at this depth of nested causes, which could be circular. */
const MAX_DEPTH = 5;

/** The error, and those that caused it. */
function withCauses(thrown: unknown, depth = 0): readonly Thrown[] {
  if (typeof thrown !== 'object' || thrown === null || depth > MAX_DEPTH) return [];
  const { cause, errors, meta }: Thrown = thrown;
  const causes = [cause, meta?.driverAdapterError, ...(Array.isArray(errors) ? errors : [])];
  return [thrown, ...causes.flatMap((inner) => withCauses(inner, depth + 1))];
}

/** The codes of an error and of its causes. */
export const errorCodes = (thrown: unknown): readonly unknown[] =>
  withCauses(thrown).flatMap(({ code, originalCode }) => [code, originalCode]);

/** Whether PostgreSQL cancelled a statement that took too long. */
export const isStatementTimeout = (thrown: unknown): boolean =>
  errorCodes(thrown).includes('57014');

/** Disk full, quota exceeded, and read-only after a disk error. */
const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Whether an error means that a disk cannot be written. */
export const isDiskFull = (thrown: unknown): boolean =>
  errorCodes(thrown).some((code) => DISK_FULL_CODES.has(code));

/** Serialization failure, deadlock and lock timeout, of PostgreSQL and of Prisma. */
const CONFLICT_CODES: ReadonlySet<unknown> = new Set(['40001', '40P01', '55P03', 'P2034']);

/** Whether other transactions have prevented a transaction. */
export const isConflict = (thrown: unknown): boolean =>
  errorCodes(thrown).some((code) => CONFLICT_CODES.has(code));

/** Error codes of the system, PostgreSQL, Prisma and the file storage for a store that is down or overloaded. */
const OUTAGE_CODES: readonly RegExp[] = [
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN)$/,
  // A certificate that has expired, is of an unknown authority, or names another host.
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_[A-Z_]+$)/,
  // Connection exceptions; shutdown, crash, startup, idle timeout; out of connections, memory or disk; statement timeout;
  // a transaction that was idle for too long, because the path to the server was held up;
  // a standby, to which a name or a proxy leads during a failover.
  /^(?:08[0-9A-Z]{3}|57P0[1-5]|53[0-9A-Z]{3}|57014|25006|25P0[34])$/,
  // A wrong role or password, no such database, I/O errors.
  /^(?:28000|28P01|3D000|58[0-9A-Z]{3})$/,
  // Wrong role or password, unreachable, no response, no such database, timeout, closed connection, no free connection in the
  // pool or for a transaction.
  /^P(?:1000|1001|1002|1003|1008|1017|2024|2028)$/,
  /^STORAGE_AWAY$/,
];

/** The kinds of connection errors of Prisma's driver. */
const OUTAGE_KINDS: ReadonlySet<unknown> = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
]);

/** The messages of pg and ioredis for errors without a code. */
const OUTAGE_MESSAGES: readonly RegExp[] = [
  ...POSTGRESQL_MESSAGES,
  ...REDIS_MESSAGES,
  /^Reached the max retries per request limit /,
  // Redis is not the primary, does not serve the slot, accepts no writes, or runs a script for too long.
  /^(?:LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|UNBLOCKED|MISCONF|OOM|NOREPLICAS|EXECABORT|BUSY) /,
  /^(?:ClusterAllFailedError: )?Failed to refresh slots cache\.$/,
  /^Too many Cluster redirections\./,
  /^(?:MOVED|ASK) \d+ /,
  /^None of startup nodes is available$/,
  /^No node has slot \d+$/,
  /^Redis does not answer$/,
];

/** Whether an error means that a store is down. It is not a defect, and a later retry may succeed. */
export const isOutage = (thrown: unknown): boolean =>
  isConflict(thrown) ||
  withCauses(thrown).some(
    ({ code, originalCode, kind, message }) =>
      matches(OUTAGE_CODES, code) ||
      matches(OUTAGE_CODES, originalCode) ||
      OUTAGE_KINDS.has(kind) ||
      message === NOT_CONNECTED ||
      matches(OUTAGE_MESSAGES, message),
  );

/** Whether a store is down, or locked by others. A statement that took too long is not counted: it may do so whenever it runs. */
export const isStoreDown = (thrown: unknown): boolean =>
  isOutage(thrown) && !isStatementTimeout(thrown);

const matches = (patterns: readonly RegExp[], text: unknown): boolean =>
  typeof text === 'string' && patterns.some((pattern) => pattern.test(text));
