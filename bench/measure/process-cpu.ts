import { readdirSync, readFileSync } from 'node:fs';
import type { CpuClock } from './cpu-usage.js';

/** Linux reports CPU times in this unit, independent of the timer frequency of the kernel. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parentPid: number;
  readonly seconds: number;
  /** The CPU of the children that have ended. */
  readonly secondsOfEnded: number;
}

/** The CPU seconds of all threads of a process so far; null on systems other than Linux. */
export function cpuSecondsOf(pid: number): number | null {
  return timesOf(pid)?.seconds ?? null;
}

/** The CPU clock of one process. */
export const cpuClock =
  (pid: number): CpuClock =>
  () =>
    cpuSecondsOf(pid);

/**
 * The CPU seconds of a process, such as the PostgreSQL server, and of its running and ended children; null on systems
 * other than Linux.
 */
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
    // The process name in parentheses may contain spaces; `fields` starts after it, with the third field.
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
