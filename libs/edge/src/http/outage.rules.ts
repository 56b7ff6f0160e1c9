/** Codes by which the system, PostgreSQL, Prisma and the file storage say that a store is away or overcrowded. */
const OUTAGE_CODES: readonly RegExp[] = [
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  // Connection exceptions; shut down, crashed, starting up; too many connections; a statement took too long.
  /^(?:08[0-9A-Z]{3}|57P0[123]|53300|57014)$/,
  // Not reached, no answer, took too long, closed the connection, none free in the pool or for a transaction.
  /^P(?:1001|1002|1008|1017|2024|2028)$/,
  /^STORAGE_AWAY$/,
];

/** What pg and ioredis say without a code. */
const OUTAGE_MESSAGES: readonly RegExp[] = [
  /^timeout exceeded when trying to connect$/,
  /^Connection terminated/,
  /^Query read timeout$/,
  /^Stream isn't writeable and enableOfflineQueue options is false$/,
  /^Connection is closed\.$/,
  /^Command timed out$/,
  /^LOADING /,
];

/** Errors wrap each other a few times at the most; a ring of causes must not hold us. */
const MAX_DEPTH = 5;

/** Whether what was thrown means that a store is away: worth another try in a moment, and no defect. */
export function isOutage(thrown: unknown, depth = 0): boolean {
  if (!(thrown instanceof Error) || depth > MAX_DEPTH) return false;
  const code = 'code' in thrown ? String(thrown.code) : '';
  return (
    OUTAGE_CODES.some((pattern) => pattern.test(code)) ||
    OUTAGE_MESSAGES.some((pattern) => pattern.test(thrown.message)) ||
    isOutage(thrown.cause, depth + 1)
  );
}
