import { z } from 'zod';
import { ratio, urlOf, wholeNumber } from './variable-types.js';

/** What every program reads. */
export const loggingVariables = {
  LOG_LEVEL: z
    .enum(['error', 'warn', 'log', 'debug', 'verbose'], {
      message: 'expected error, warn, log, debug or verbose',
    })
    .default('log'),
  LOG_FORMAT: z.enum(['json', 'text'], { message: 'expected json or text' }).default('json'),
};

export const databaseVariables = {
  DATABASE_URL: urlOf('postgresql', 'postgres'),
  DATABASE_POOL_SIZE: wholeNumber(1, 500).default(10),
};

/** Names and values are those of OpenTelemetry's specification. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf('http', 'https').optional(),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
};

export const redisVariables = { REDIS_URL: urlOf('redis', 'rediss') };

export interface LoggingConfig {
  readonly level: 'error' | 'warn' | 'log' | 'debug' | 'verbose';
  readonly format: 'json' | 'text';
}

export interface DatabaseConfig {
  readonly url: string;
  readonly poolSize: number;
}

export interface RedisConfig {
  readonly url: string;
}

/** Where spans go, and which part of the traces is kept; null when none are made. */
export type TracingConfig = { readonly endpoint: string; readonly ratio: number } | null;

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
  database: { url: values.DATABASE_URL, poolSize: values.DATABASE_POOL_SIZE },
  redis: { url: values.REDIS_URL },
});
