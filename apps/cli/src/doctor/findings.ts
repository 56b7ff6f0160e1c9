import type { Alert } from '#push/admin';
import { MEBIBYTE } from '#platform/contracts';
import { isWithinClockTolerance, shortList } from '#platform/core';
import type { SchemaDifference, ServerFacts } from '#platform/database';
import type { RedisFacts } from '#platform/redis';

/** The result of one check. */
export interface Finding {
  readonly part: string;
  /** `problem`: something does not work, or will soon not. */
  readonly level: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** The remedy; null if none is needed. */
  readonly advice: string | null;
}

const OLDEST_POSTGRESQL = 180_000;
const OLDEST_REDIS = 7;
const MANY_CONNECTIONS = 0.8;
const MUCH_MEMORY = 0.8;
const LONG_TRANSACTION_SECONDS = 300;
/** A longer list is shortened. */
const MAX_NAMED = 3;
const DAY_MS = 86_400_000;
const EXPIRY_WARNING_DAYS = 14;
const GIBIBYTE = 1024 * MEBIBYTE;

export const ok = (part: string, text: string): Finding => ({
  part,
  level: 'ok',
  text,
  advice: null,
});
export const warning = (part: string, text: string, advice: string): Finding => ({
  part,
  level: 'warning',
  text,
  advice,
});
export const problem = (part: string, text: string, advice: string): Finding => ({
  part,
  level: 'problem',
  text,
  advice,
});

/** Findings about PostgreSQL; `offsetMs` is how far its clock is ahead of this host's. */
export function postgresqlFindings(facts: ServerFacts, offsetMs: number): Finding[] {
  const part = 'PostgreSQL';
  const found: Finding[] = [];
  if (facts.versionNumber < OLDEST_POSTGRESQL) {
    found.push(
      warning(part, `It is version ${facts.version}.`, 'Carillon is tested with 18: upgrade.'),
    );
  }
  if (facts.isStandby) {
    const advice = 'Point DATABASE_URL to the primary.';
    found.push(problem(part, 'It is a standby and refuses writes.', advice));
  }
  if (facts.isReadOnly && !facts.isStandby) {
    const advice =
      'Remove default_transaction_read_only from the role, the database or DATABASE_URL.';
    found.push(problem(part, 'Transactions of the role are read-only.', advice));
  }
  if (!facts.foldsLetters) {
    const advice =
      "Dump it, create it again with ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' TEMPLATE template0, restore it.";
    found.push(problem(part, 'The database does not know that é is the lower case of É.', advice));
  }
  if (facts.foreignTimeZone !== null) {
    const text = `The time zone of sessions is ${facts.foreignTimeZone}: programs read wrong times.`;
    const advice =
      'ALTER ROLE … SET timezone = \'UTC\', and connect again: docs/operations.md, "Behind PgBouncer".';
    found.push(problem(part, text, advice));
  }
  if (facts.forbiddenTables.length > 0) {
    const names = shortList(facts.forbiddenTables, MAX_NAMED);
    const advice = 'Let the role own the tables, or grant SELECT, INSERT, UPDATE, DELETE to it.';
    found.push(problem(part, `The role may not read and write ${names}.`, advice));
  }
  if (facts.usedConnections > facts.maxConnections * MANY_CONNECTIONS) {
    found.push(
      warning(
        part,
        `${facts.usedConnections} of ${facts.maxConnections} connections are in use.`,
        'Raise max_connections, or lower DATABASE_POOL_SIZE.',
      ),
    );
  }
  if ((facts.oldestTransactionSeconds ?? 0) > LONG_TRANSACTION_SECONDS) {
    found.push(
      warning(
        part,
        `A transaction has been open for ${Math.round(facts.oldestTransactionSeconds ?? 0)} s.`,
        'It keeps vacuum from removing dead rows: look for it in pg_stat_activity. A backup is normal.',
      ),
    );
  }
  if (facts.invalidIndexes.length > 0) {
    const names = facts.invalidIndexes.join(', ');
    const advice = 'Run the migration step again, or drop and create them.';
    found.push(problem(part, `Indexes were not built to their end: ${names}.`, advice));
  }
  found.push(...clockFindings(part, offsetMs));
  const size = `${(facts.databaseBytes / GIBIBYTE).toFixed(1)} GiB`;
  return found.length > 0 ? found : [ok(part, `Version ${facts.version}, ${size}.`)];
}

const CLOCK_ADVICE = 'Correct the clocks: NTP on all hosts.';

function clockFindings(part: string, offsetMs: number): Finding[] {
  if (isWithinClockTolerance(offsetMs)) return [];
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(0);
  const text = `Its clock is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the clock of this host.`;
  return [problem(part, text, CLOCK_ADVICE)];
}

const MIGRATIONS = 'Migrations';

/** Findings about the migrations. */
export function migrationFindings({ missing, unknown }: SchemaDifference): Finding[] {
  const part = MIGRATIONS;
  if (missing.length > 0) {
    return [
      problem(
        part,
        `The database lacks ${listed(missing)}.`,
        'Run the migration step: node dist/deploy/docker/migrate.js',
      ),
    ];
  }
  if (unknown.length > 0) {
    const text = `The database is of a newer release: ${listed(unknown)}.`;
    return [warning(part, text, 'The programs of this release run on it. Upgrade when you can.')];
  }
  return [ok(part, 'The database has every migration of this release.')];
}

function listed(names: readonly string[]): string {
  if (names.length <= MAX_NAMED) return names.join(', ');
  return `${names.length} migrations, from ${names[0]} to ${names.at(-1)}`;
}

/** Whether the findings say that the database lacks a migration. */
export const lacksMigrations = (findings: readonly Finding[]): boolean =>
  findings.some(({ part, level }) => part === MIGRATIONS && level === 'problem');

/** The use of a Redis server. */
export interface RedisRole {
  readonly part: string;
  /** The variable with its address. */
  readonly variable: string;
  /** A node of a cluster may be one. */
  readonly mayBeReplica?: boolean;
}

/** Findings about Redis; `offsetMs` is how far its clock is ahead of this host's. */
export function redisFindings(
  facts: RedisFacts,
  offsetMs: number,
  { part, variable, mayBeReplica = false }: RedisRole,
): Finding[] {
  const found: Finding[] = [];
  if (Number.parseInt(facts.version, 10) < OLDEST_REDIS) {
    found.push(problem(part, `It is version ${facts.version}.`, 'Upgrade to 7 or newer.'));
  }
  if (facts.role !== 'master' && !mayBeReplica) {
    const text = 'It is a replica and refuses writes.';
    found.push(problem(part, text, `Point ${variable} to the primary.`));
  }
  if (facts.evictionPolicy !== 'noeviction') {
    found.push(
      problem(
        part,
        `Its maxmemory-policy is ${facts.evictionPolicy}: it deletes queues when memory is full.`,
        'Set maxmemory-policy noeviction.',
      ),
    );
  }
  if (!facts.hasAppendOnlyFile) {
    const advice =
      'Set appendonly yes. Without it a restart loses queues, which the sweep restores.';
    found.push(warning(part, 'It keeps no append-only file.', advice));
  }
  if (!facts.isPersisted) {
    const advice = 'Check the disk of Redis; its log has the reason.';
    found.push(problem(part, 'Its last write to the disk failed.', advice));
  }
  const share = facts.maxBytes > 0 ? facts.usedBytes / facts.maxBytes : 0;
  const inUse = `${Math.round(100 * share)} % of its maxmemory is in use`;
  if (share >= 1) {
    found.push(problem(part, `${inUse}: it refuses writes.`, 'Raise maxmemory.'));
  } else if (share > MUCH_MEMORY) {
    found.push(warning(part, `${inUse}.`, 'Raise maxmemory.'));
  }
  if (facts.refused.length > 0) {
    const advice = `Grant them to the user of ${variable}: docs/operations.md, "Redis users".`;
    found.push(problem(part, `Its user may not use ${facts.refused.join(', ')}.`, advice));
  }
  found.push(...clockFindings(part, offsetMs));
  const used = `${(facts.usedBytes / MEBIBYTE).toFixed(0)} MiB`;
  return found.length > 0 ? found : [ok(part, `Version ${facts.version}, ${used}.`)];
}

/** Findings about the notifications: the alerts of `carillon push status`. */
export function alertFindings(alerts: readonly Alert[]): Finding[] {
  const part = 'Notifications';
  if (alerts.length === 0)
    return [ok(part, 'Every queue with jobs has a worker, and nothing waits long.')];
  return alerts.map(({ severity, text, advice }) => ({
    part,
    level: severity === 'alarm' ? 'problem' : 'warning',
    text,
    advice,
  }));
}

/** The programs of an installation that report themselves. */
const PROGRAMS = ['api-gateway', 'presence', 'push-worker'];

/** Findings about the programs without a report, from the names in all reports. A program reports every ten seconds. */
export function missingProgramFindings(reporting: readonly string[]): Finding[] {
  const advice = 'Start it, or read its log: a program without Redis cannot report.';
  return PROGRAMS.filter((name) => !reporting.includes(name)).map((name) =>
    problem('Programs', `No ${name} process has reported for 30 seconds.`, advice),
  );
}

/** Findings about the settings that running programs must share, from the texts of differences; none without programs. */
export function settingFindings(differences: readonly string[], programs: number): Finding[] {
  const part = 'Settings';
  const advice = 'Give these programs the same value, and restart them.';
  const found = differences.map((text) => problem(part, `${text}.`, advice));
  if (found.length > 0 || programs === 0) return found;
  return [ok(part, `The running programs (${programs}) share them.`)];
}

/** Findings about the programs whose clocks are wrong. */
export const programClockFindings = (wrong: readonly string[]): Finding[] =>
  wrong.map((text) => problem('Clocks', `${text}.`, CLOCK_ADVICE));

const QUEUES_OF = { Apple: 'apns and apns-bulk', Google: 'fcm and fcm-bulk' } as const;

/** The finding about a provider to which a worker shall send without credentials. */
export const unconfiguredFinding = (provider: keyof typeof QUEUES_OF): Finding =>
  warning(
    `Credentials of ${provider}`,
    'None are configured: notifications wait, and the first one makes the worker unready.',
    `Configure them, or leave ${QUEUES_OF[provider]} out of PUSH_QUEUES: docs/operations.md, "Credentials of Apple and Google".`,
  );

/** Findings about a readable credential and its certificates; `now` in UNIX milliseconds. */
export function credentialFindings(
  part: string,
  expiries: readonly { readonly name: string; readonly expiresAt: number }[],
  now: number,
): Finding[] {
  const [next] = expiries.toSorted((one, other) => one.expiresAt - other.expiresAt);
  if (next === undefined) return [ok(part, 'The credentials are readable and do not expire.')];
  const days = Math.floor((next.expiresAt - now) / DAY_MS);
  const advice = 'Install a new certificate: docs/operations.md, "Replacing them".';
  if (days < 0) return [problem(part, `The certificate ${next.name} has expired.`, advice)];
  const text = `The certificate ${next.name} expires in ${days} days.`;
  return [days < EXPIRY_WARNING_DAYS ? warning(part, text, advice) : ok(part, text)];
}

const partTexts = (parts: Readonly<Record<string, string>>): string[] =>
  Object.entries(parts).map(([name, text]) => `${name}: ${text}.`);

/** Findings about the readiness of a program: the names of parts that do not work, with their error texts. */
export function readinessFindings(
  program: string,
  parts: Readonly<Record<'failing' | 'warnings', Readonly<Record<string, string>>>>,
): Finding[] {
  const advice = 'docs/operations.md, "Health", lists the parts.';
  const found = [
    ...partTexts(parts.failing).map((text) => problem(program, `Not ready: ${text}`, advice)),
    ...partTexts(parts.warnings).map((text) => warning(program, text, advice)),
  ];
  return found.length > 0 ? found : [ok(program, 'It is ready.')];
}

/** The finding about the memory of the container of a program, which is too small for the given reason. */
export const memoryFindings = (program: string, shortage: string | null): Finding[] =>
  shortage === null
    ? []
    : [
        warning(
          program,
          `${shortage}.`,
          'Raise its limit: docs/operations.md, "Memory of containers".',
        ),
      ];

/** Findings about the disk of a folder. */
export function diskFindings(part: string, freeBytes: number, leastFreeMib: number): Finding[] {
  const text = `${(freeBytes / GIBIBYTE).toFixed(1)} GiB are free.`;
  const advice = 'Make room, or enlarge the disk.';
  if (freeBytes < leastFreeMib * MEBIBYTE) {
    return [problem(part, `${text} Uploads are refused.`, advice)];
  }
  if (freeBytes < 2 * GIBIBYTE) return [warning(part, text, advice)];
  return [ok(part, text)];
}
