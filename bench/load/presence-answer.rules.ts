/** What a right answer to a poll tells. */
export interface Told {
  readonly cursor: number;
  /** Of whom it brings news, by user id. */
  readonly users: readonly string[];
}

/** An older time than this, in seconds, is of no report that the bench has made. */
const OLDEST_REPORT_SECONDS = 600;

/**
 * Reads the answer to a poll; null when it is wrong: refused, malformed, going back, or not saying the
 * same by its cursor as by its entries. `now` in UNIX seconds.
 */
export function readPollAnswer(
  { status, body }: { readonly status: number; readonly body: string },
  cursor: number,
  now: number,
): Told | null {
  const answer = status === 200 ? parseObject(body) : {};
  const { result, presence_last_update_id: next, presences } = answer;
  if (result !== 'success' || typeof next !== 'number' || !isObject(presences)) return null;
  const users = Object.keys(presences);
  const saysNothingNew = next === cursor;
  if (next < cursor || saysNothingNew !== (users.length === 0)) return null;
  const areRecent = Object.values(presences).every((entry) => isRecentEntry(entry, now));
  return areRecent ? { cursor: next, users } : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecentEntry(entry: unknown, now: number): boolean {
  if (!isObject(entry)) return false;
  return [entry['active_timestamp'], entry['idle_timestamp']].every(
    (time) => typeof time === 'number' && time <= now + 1 && now - time < OLDEST_REPORT_SECONDS,
  );
}
