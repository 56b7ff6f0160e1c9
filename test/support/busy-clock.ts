import { readFileSync } from 'node:fs';

/**
 * A clock in milliseconds that stands while the main thread of a process waits: its CPU time. Null where the system does not
 * tell it (Linux does). `pid` is a process of the same account, or `self`.
 */
export function busyClockOf(pid: number | 'self'): (() => number) | null {
  const file = `/proc/${pid}/schedstat`;
  const read = () => Number.parseInt(readFileSync(file, 'utf8'), 10) / 1_000_000;
  try {
    read();
    return read;
  } catch {
    return null;
  }
}
