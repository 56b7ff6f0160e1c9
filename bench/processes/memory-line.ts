/** What asks a program for its memory. Nothing else uses it there. */
export const MEMORY_SIGNAL = 'SIGWINCH';

/** How the program tells it. */
export const memoryLine = (bytes: number): string => `memory ${bytes}\n`;

/** What was told in the output of a program, in bytes. */
export const memoryTold = (output: string): number[] =>
  [...output.matchAll(/^memory (\d+)$/gm)].map(([, bytes]) => Number(bytes));
