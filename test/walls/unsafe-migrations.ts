import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The first line of a migration whose only statement runs outside of a transaction. */
const NO_TRANSACTION = '-- no transaction\n';
/** Statements that can be repeated after an interruption. */
const REPEATABLE = /^\s*(?:CREATE|DROP)\s.*?\sIF\s+(?:NOT\s+)?EXISTS\s|^\s*(?:VACUUM|ANALYZE)\s/is;
/** Rules that do not apply here. */
const EXCLUDED = [
  // The runner sets a limit and repeats a statement that gets no lock.
  'require-lock-timeout',
  'require-statement-timeout',
  // Ids of rows that a person creates stay below 2^31; Prisma declares them as serial.
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-identity',
];
/** The limit of the runner would be replaced for the statements that follow. */
export const OWN_LOCK_TIMEOUT = 'lock_timeout is set by the runner';
/** In a transaction a repetition begins from the start. */
const ONLY_WITHOUT_TRANSACTION = 'prefer-robust-stmts';

/**
 * For each file of a migration the reasons why it must not run while programs use the database, each with its line: it would lock
 * a table for long, or break the previous release. A line `-- squawk-ignore <rule>` with a reason above it permits a statement.
 */
export function unsafeStatements(files: readonly string[]): Map<string, string[]> {
  const migrations = files.map((file) => ({ file, sql: readFileSync(file, 'utf8') }));
  const isAlone = ({ sql }: { readonly sql: string }) => sql.startsWith(NO_TRANSACTION);
  const found = [true, false].flatMap((alone) =>
    lint(
      migrations.filter((one) => isAlone(one) === alone).map(({ file }) => file),
      alone,
    ),
  );
  return new Map(
    migrations.map(({ file, sql }) => {
      const own = isAlone({ sql })
        ? faultsOfSingle(sql.slice(NO_TRANSACTION.length))
        : faultsInTransaction(sql);
      const violations = found.filter((violation) => violation.file === file);
      return [file, [...own, ...violations.map(textOf)]];
    }),
  );
}

function faultsInTransaction(sql: string): string[] {
  const isConcurrent = /^[^'"-]*\bCONCURRENTLY\b/im.test(sql);
  const setsLockTimeout = /^[^-]*\block_timeout\b/im.test(sql);
  return [
    ...(isConcurrent ? ['CONCURRENTLY is impossible in a transaction: "-- no transaction"'] : []),
    ...(setsLockTimeout ? [OWN_LOCK_TIMEOUT] : []),
  ];
}

function faultsOfSingle(sql: string): string[] {
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .filter((statement) => statement.trim() !== '');
  if (statements.length !== 1) return ['a file without a transaction has one statement'];
  return REPEATABLE.test(statements[0] ?? '') ? [] : ['the statement cannot be repeated'];
}

interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule_name: string;
  readonly message: string;
}

const textOf = ({ line, rule_name, message }: Violation): string =>
  `${line + 1}: ${rule_name}: ${message}`;

/** One process for all files: each takes a quarter of a second to start. */
function lint(files: readonly string[], areAlone: boolean): readonly Violation[] {
  // Without files it reads its input.
  if (files.length === 0) return [];
  const squawk = createRequire(import.meta.url).resolve('squawk-cli/js/bin/squawk');
  const excluded = areAlone ? EXCLUDED : [...EXCLUDED, ONLY_WITHOUT_TRANSACTION];
  const mode = areAlone ? '--no-assume-in-transaction' : '--assume-in-transaction';
  const options = ['--pg-version', '18.0', '--reporter', 'json', '--exclude', excluded.join()];
  const words = [squawk, ...options, mode, ...files];
  const { stdout, stderr, error } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (error !== undefined || stdout === '') throw new Error(`squawk failed: ${stderr}`);
  // The linter is pinned, and its answer has this shape.
  return JSON.parse(stdout) as readonly Violation[];
}
