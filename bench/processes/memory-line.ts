/** The signal that requests a memory report. The programs do not use it otherwise. */
export const MEMORY_SIGNAL = 'SIGWINCH';

/** The memory report of a program. */
export const memoryLine = (bytes: number): string => `memory ${bytes}\n`;

/** The memory reports in the output of a program, in bytes. */
export const memoryReports = (output: string): number[] =>
  [...output.matchAll(/^memory (\d+)$/gm)].map(([, bytes]) => Number(bytes));
