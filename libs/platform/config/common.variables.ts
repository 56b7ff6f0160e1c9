import { existsSync } from 'node:fs';
import { z } from 'zod';
import { isLoopback } from './loopback.js';
import { ConfigError, optionalSecretFile } from './read-variables.js';
import {
  databaseUrl,
  fileOf,
  filePath,
  ratio,
  redisAddress,
  redisServers,
  secretKey,
  urlOf,
  wholeNumber,
} from './variable-types.js';

export const loggingVariables = {
  LOG_LEVEL: z
    .enum(['error', 'warn', 'log', 'debug', 'verbose'], {
      message: 'expected error, warn, log, debug or verbose',
    })
    .default('log')
    .meta({ description: 'The least urgent entries that are still written.' }),
  LOG_FORMAT: z
    .enum(['json', 'text'], { message: 'expected json or text' })
    .default('json')
    .meta({ description: 'One JSON object a line, or text with colours for people.' }),
};

export const databaseVariables = {
  DATABASE_URL: databaseUrl.meta({
    description:
      'The PostgreSQL database, on one server or on [several, of which one is the primary](operations.md#several-postgresql-servers); also [with TLS](operations.md#tls-to-the-stores). The migration step needs it too.',
  }),
  DATABASE_URL_FILE: fileOf('DATABASE_URL'),
  DATABASE_POOL_MODE: z.enum(['session', 'transaction']).default('session').meta({
    description:
      'The mode of a pooler such as PgBouncer; `session` also without one. With `transaction`, statements are not prepared, and the settings of connections come from the role: [how](operations.md#behind-pgbouncer).',
  }),
  DATABASE_POOL_SIZE: wholeNumber(1, 500).default(10).meta({
    description:
      'Connections that one process opens at most, besides one for `/health/ready`. The sum over all processes must stay below `max_connections`.',
  }),
};

/** The names and values of the OpenTelemetry specification. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf('http', 'https').optional().meta({
    description:
      'A collector that speaks OTLP over HTTP, without `/v1/traces` at its end. Nothing is traced without it.',
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1).meta({
    description:
      'The share of traces that is kept. With the same value, all programs keep the same ones.',
  }),
};

export const redisVariables = {
  REDIS_URL: redisAddress.meta({
    description:
      'The Redis of everything for which neither `PRESENCE_REDIS_URL` nor `QUEUE_REDIS_URL` is set: a single server, or the primary of a group that [Sentinel](operations.md#redis-sentinel) watches, not a cluster.',
  }),
  REDIS_URL_FILE: fileOf('REDIS_URL'),
};

export const queueRedisVariables = {
  QUEUE_REDIS_URL_FILE: fileOf('QUEUE_REDIS_URL'),
  QUEUE_REDIS_URL: redisServers.optional().meta({
    isShared: true,
    byDefault: '`REDIS_URL`',
    description:
      'The Redis of the queues alone. Several addresses with commas between are nodes of one [Redis Cluster](operations.md#queues-on-redis-cluster), with the same protocol, user and password, and no database number.',
  }),
};

interface LoggingConfig {
  readonly level: 'error' | 'warn' | 'log' | 'debug' | 'verbose';
  readonly format: 'json' | 'text';
}

interface DatabaseConfig {
  readonly url: string;
  readonly poolSize: number;
  /** Whether a pooler gives each transaction another connection to the server. */
  readonly isBehindPooler: boolean;
}

interface RedisConfig {
  readonly url: string;
}

/** The collector, and the ratio of the traces to keep from 0 to 1; null without tracing. */
type TracingConfig = { readonly endpoint: string; readonly ratio: number } | null;

interface TracingValues {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_TRACES_SAMPLER_ARG: number;
}

interface CommonValues {
  LOG_LEVEL: LoggingConfig['level'];
  LOG_FORMAT: LoggingConfig['format'];
}

interface StoreValues {
  DATABASE_URL: string;
  DATABASE_POOL_MODE: 'session' | 'transaction';
  DATABASE_POOL_SIZE: number;
  REDIS_URL: string;
}

export const loggingOf = (values: CommonValues): LoggingConfig => ({
  level: values.LOG_LEVEL,
  format: values.LOG_FORMAT,
});

export const tracingOf = (values: TracingValues): TracingConfig =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? null
    : { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT, ratio: values.OTEL_TRACES_SAMPLER_ARG };

export const storesOf = (
  values: StoreValues,
): { database: DatabaseConfig; redis: RedisConfig } => ({
  database: {
    url: values.DATABASE_URL,
    poolSize: values.DATABASE_POOL_SIZE,
    isBehindPooler: values.DATABASE_POOL_MODE === 'transaction',
  },
  redis: { url: values.REDIS_URL },
});

/** Gateways and presence processes need the same values. */
export const presenceTimingVariables = {
  PRESENCE_PING_SECONDS: wholeNumber(10, 600).default(60).meta({
    isShared: true,
    description: 'How often a client reports its presence.',
  }),
  PRESENCE_OFFLINE_SECONDS: wholeNumber(50, 7200).default(200).meta({
    isShared: true,
    description:
      'A user without a report for this time counts as offline: at least three times `PRESENCE_PING_SECONDS` and 20 s. The presence of a user who stays online is published at most once in this time less two pings and 25 s.',
  }),
};

interface PresenceTimingValues {
  PRESENCE_PING_SECONDS: number;
  PRESENCE_OFFLINE_SECONDS: number;
}

/** Throws ConfigError for a threshold that would show connected users as offline. */
export function presenceTimingFrom(values: PresenceTimingValues) {
  const { PRESENCE_PING_SECONDS: ping, PRESENCE_OFFLINE_SECONDS: offline } = values;
  const least = 3 * ping + 20;
  if (offline < least) {
    throw new ConfigError([
      `PRESENCE_OFFLINE_SECONDS: expected at least ${least}, three times PRESENCE_PING_SECONDS and 20`,
    ]);
  }
  return { pingIntervalSeconds: ping, offlineThresholdSeconds: offline };
}

export const presenceSecretVariables = {
  PRESENCE_SECRET: secretKey.optional().meta({
    isShared: true,
    description:
      'The secret with which gateways and presence processes authenticate each other (`openssl rand -base64 32`). A gateway without it, or with another one, goes on without presence. A presence process needs it unless `PRESENCE_HOST` is a loopback address.',
  }),
  PRESENCE_SECRET_FILE: filePath.optional().meta({
    byDefault: '`.data/presence-secret`',
    description:
      'The file to read it from when `PRESENCE_SECRET` is not set. If it is set, the file must exist.',
  }),
};

export const pushKeySecretVariables = {
  PUSH_KEY_SECRET: secretKey.optional().meta({
    isShared: true,
    description:
      'The secret under which the keys of encrypted notifications are stored (`openssl rand -base64 32`). Without it, apps cannot register for encrypted notifications.',
  }),
  PUSH_KEY_SECRET_FILE: filePath.optional().meta({
    byDefault: '`.data/push-key-secret`',
    description:
      'The file to read it from when `PUSH_KEY_SECRET` is not set. If it is set, the file must exist.',
  }),
};

interface PresenceSecretValues {
  PRESENCE_SECRET?: Buffer | undefined;
  PRESENCE_SECRET_FILE?: string | undefined;
}

/** The shared secret of gateways and presence processes, or null. Throws ConfigError for an unusable file. */
export function presenceSecretFrom(values: PresenceSecretValues): Buffer | null {
  const { PRESENCE_SECRET: given, PRESENCE_SECRET_FILE: file } = values;
  return given ?? optionalSecret('PRESENCE_SECRET', file, '.data/presence-secret');
}

interface PushKeySecretValues {
  PUSH_KEY_SECRET?: Buffer | undefined;
  PUSH_KEY_SECRET_FILE?: string | undefined;
}

/** The secret of encrypted notifications, or null. Throws ConfigError for an unusable file. */
export function pushKeySecretFrom(values: PushKeySecretValues): Buffer | null {
  const { PUSH_KEY_SECRET: given, PUSH_KEY_SECRET_FILE: file } = values;
  return given ?? optionalSecret('PUSH_KEY_SECRET', file, '.data/push-key-secret');
}

/** Reads the named file, or the one that `npm start` writes if it exists; null without one, and for an empty file. */
function optionalSecret(name: string, named: string | undefined, written: string): Buffer | null {
  if (named !== undefined) return optionalSecretFile(name, named);
  return existsSync(written) ? optionalSecretFile(name, written) : null;
}

/** Throws ConfigError when other machines could connect without a secret. */
export function assertPresenceSecret(host: string, secret: Buffer | null): void {
  if (secret !== null || isLoopback(host)) return;
  throw new ConfigError([
    `PRESENCE_SECRET is not set: PRESENCE_HOST (${host}) is no loopback address, so gateways have to prove who they are`,
  ]);
}

/**
 * Reads the log settings before the rest of the configuration, so that faults of the rest can be logged. An invalid value
 * counts as its default here; the reader of the program reports it with the other faults.
 */
export function readLoggingConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): LoggingConfig {
  return {
    level: valueOf(loggingVariables.LOG_LEVEL, environment['LOG_LEVEL']),
    format: valueOf(loggingVariables.LOG_FORMAT, environment['LOG_FORMAT']),
  };
}

function valueOf<Value>(type: z.ZodType<Value>, given: string | undefined): Value {
  const parsed = type.safeParse(given?.trim() || undefined);
  return parsed.success ? parsed.data : type.parse(undefined);
}

export const pushLifetimeVariables = {
  PUSH_TIME_TO_LIVE_SECONDS: wholeNumber(10, 86_400).default(1800).meta({
    isShared: true,
    description:
      'How long a test or a message may wait to be sent; then it is dropped and counted as expired, not sent late.',
  }),
};
