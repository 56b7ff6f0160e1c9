/** The content of a valid response to a poll. */
interface PollResult {
  readonly cursor: number;
  /** The ids of the users with changes. */
  readonly users: readonly string[];
}

/** The bench makes no report that is older than this. */
const OLDEST_REPORT_SECONDS = 600;

/**
 * Reads the response to a poll. Returns null for a wrong response: an error, a malformed body, a cursor that goes back,
 * or a cursor and entries that contradict each other. `now` is in UNIX seconds.
 */
export function readPollAnswer(
  { status, body }: { readonly status: number; readonly body: string },
  cursor: number,
  now: number,
): PollResult | null {
  const answer = status === 200 ? parseObject(body) : {};
  const { result, presence_last_update_id: next, presences } = answer;
  if (result !== 'success' || typeof next !== 'number' || !isObject(presences)) return null;
  const users = Object.keys(presences);
  const isUnchanged = next === cursor;
  if (next < cursor || isUnchanged !== (users.length === 0)) return null;
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
