import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as databaseModule from '#platform/database';
import type { Finding, Result } from './results.js';

const OPTION = '--beside';

/** The parts of a build that depend on its schema. */
export type BuildDatabase = Pick<typeof databaseModule, 'applyMigrations' | 'Database'>;

/** Splits `--beside <folder>` from the other arguments. The folder is null without it. */
export function besideIn(args: readonly string[]): {
  readonly beside: string | null;
  readonly rest: readonly string[];
} {
  const index = args.indexOf(OPTION);
  if (index === -1) return { beside: null, rest: args };
  const folder = args[index + 1];
  if (folder === undefined) throw new Error(`${OPTION} needs the folder of another build`);
  return { beside: path.resolve(folder), rest: args.toSpliced(index, 2) };
}

/** The client and the migrations of the build in a folder. Rejects if it is not built. */
export async function databaseOf(root: string): Promise<BuildDatabase> {
  const file = path.join(root, 'dist/libs/platform/database/index.js');
  // The other build has the same exports: both are builds of this project.
  return (await import(pathToFileURL(file).href)) as BuildDatabase;
}

/** The folder for the stores and logs of the other build. */
export async function besideFolder(folder: string): Promise<string> {
  const made = path.join(folder, 'beside');
  await mkdir(made, { mode: 0o711 });
  return made;
}

/** The figures of this build divided by those of another, a line for each scenario. */
export const besideTable = (ours: readonly Finding[], others: readonly Finding[]): string[] => {
  const known = new Map(others.map(({ result }) => [result.name, result]));
  return ours.flatMap(({ result }) => {
    const other = known.get(result.name);
    return other === undefined ? [] : linesOf(result, other);
  });
};

function linesOf(ours: Result, other: Result): string[] {
  const heading =
    `${ours.name}: ${ours.value} and ${other.value} ${ours.unit}, ${quotient(ours.value, other.value)}; ` +
    `beside the limit ${ours.ratio} and ${other.ratio}, ${quotient(ours.ratio, other.ratio)}`;
  const cpu = microseconds(ours.cpu_s_per_1000);
  const costs = [
    ...pairsOf('us of', cpu, microseconds(other.cpu_s_per_1000)),
    ...pairsOf('bytes,', ours.bytes_each ?? {}, other.bytes_each ?? {}),
  ];
  return [heading, ...costs];
}

function pairsOf(
  unit: string,
  ours: Readonly<Record<string, number>>,
  others: Readonly<Record<string, number>>,
): string[] {
  return [...new Set([...Object.keys(ours), ...Object.keys(others)])].map((name) => {
    const [mine = 0, other = 0] = [ours[name], others[name]];
    return `  ${unit} ${name}: ${mine} and ${other}, ${quotient(mine, other)}`;
  });
}

const quotient = (value: number, other: number): string =>
  other === 0 ? 'nothing there before' : `x ${(value / other).toFixed(2)}`;

const microseconds = (shares: Result['cpu_s_per_1000']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(shares).map(([name, seconds]) => [name, Math.round(seconds * 1000)]),
  );
