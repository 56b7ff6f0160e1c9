/** Codes by which the system, PostgreSQL, Prisma and the file storage say that a store is away or overcrowded. */
const OUTAGE_CODES: readonly RegExp[] = [
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  // Connection exceptions; shut down, crashed, starting up, idle for too long; out of connections, memory or disk; a
  // statement took too long.
  /^(?:08[0-9A-Z]{3}|57P0[1235]|53[0-9A-Z]{3}|57014)$/,
  // Not reached, no answer, took too long, closed the connection, none free in the pool or for a transaction.
  /^P(?:1001|1002|1008|1017|2024|2028)$/,
  /^STORAGE_AWAY$/,
];

/** How Prisma's driver names what a connection met. */
const OUTAGE_KINDS: ReadonlySet<unknown> = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
]);

/** What pg and ioredis say without a code. */
const OUTAGE_MESSAGES: readonly RegExp[] = [
  /^timeout exceeded when trying to connect$/,
  /^Connection terminated/,
  /^Query read timeout$/,
  /^Stream isn't writeable and enableOfflineQueue options is false$/,
  /^Connection is closed\.$/,
  /^Command timed out$/,
  /^Command aborted due to connection close$/,
  /^Reached the max retries per request limit /,
  /^LOADING /,
  /^Redis does not answer$/,
];

/** Errors wrap each other a few times at the most; a ring of causes must not hold us. */
const MAX_DEPTH = 5;

/** Whether what was thrown means that a store is away: worth another try in a moment, and no defect. */
export function isOutage(thrown: unknown, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > MAX_DEPTH) return false;
  const { code, originalCode, kind, message, cause, meta }: Thrown = thrown;
  return (
    [code, originalCode].some((given) => matches(OUTAGE_CODES, given)) ||
    OUTAGE_KINDS.has(kind) ||
    matches(OUTAGE_MESSAGES, message) ||
    isOutage(cause, depth + 1) ||
    isOutage(meta?.driverAdapterError, depth + 1)
  );
}

/** What errors of the system, of clients and of Prisma have. Prisma keeps PostgreSQL's own error deep in its `meta`. */
interface Thrown {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

const matches = (patterns: readonly RegExp[], text: unknown): boolean =>
  typeof text === 'string' && patterns.some((pattern) => pattern.test(text));
