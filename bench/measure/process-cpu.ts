import { readdirSync, readFileSync } from 'node:fs';
import type { CpuClock } from './cpu-usage.js';

/** Linux shows CPU times in this unit whatever its clock is set to. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parentPid: number;
  readonly seconds: number;
  /** Of its children that have ended. */
  readonly secondsOfEnded: number;
}

/** CPU seconds that a process has used so far, all its threads together; null off Linux. */
export function cpuSecondsOf(pid: number): number | null {
  return timesOf(pid)?.seconds ?? null;
}

/** The CPU clock of one process. */
export const cpuClock =
  (pid: number): CpuClock =>
  () =>
    cpuSecondsOf(pid);

/** CPU seconds of a process and its children, also those that have ended, such as a PostgreSQL server; null off Linux. */
export function cpuSecondsOfFamily(pid: number): number | null {
  const own = timesOf(pid);
  if (own === null) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times?.parentPid === pid);
  return children.reduce(
    (sum, child) => sum + (child?.seconds ?? 0),
    own.seconds + own.secondsOfEnded,
  );
}

export const parentOf = (pid: number): number | null => timesOf(pid)?.parentPid ?? null;

function timesOf(pid: number): ProcessTimes | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; the fields are counted from behind it, the third on.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15);
    return {
      parentPid: fields[1] ?? 0,
      seconds: (user + system) / TICKS_PER_SECOND,
      secondsOfEnded: (userOfEnded + systemOfEnded) / TICKS_PER_SECOND,
    };
  } catch {
    return null;
  }
}
