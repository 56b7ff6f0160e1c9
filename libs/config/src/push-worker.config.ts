import { z } from 'zod';
import { apnsOf, apnsVariables } from './apns.variables.js';
import {
  databaseVariables,
  loggingOf,
  loggingVariables,
  redisVariables,
  storesOf,
  tracingOf,
  tracingVariables,
} from './common.variables.js';
import { readVariables } from './read-variables.js';
import { flag, listenHost, list, port, urlOf, wholeNumber } from './variable-types.js';

const DAY_MS = 86_400_000;

const queues = ['apns', 'apns-bulk', 'fcm', 'fcm-bulk', 'control'] as const;

export const variables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  ...tracingVariables,
  EXTERNAL_URL: urlOf('http', 'https').default('http://127.0.0.1:9991'),
  PUSH_HEALTH_HOST: listenHost.default('127.0.0.1'),
  PUSH_HEALTH_PORT: port.default(9998),
  PUSH_QUEUES: list
    .refine(
      (items) => items.length > 0 && items.every((item) => queues.some((queue) => queue === item)),
      {
        message: `expected names with commas between, of: ${queues.join(', ')}`,
      },
    )
    .transform((items) => queues.filter((queue) => items.includes(queue)))
    .default([...queues]),
  PUSH_CONCURRENCY: wholeNumber(1, 1000).default(500),
  PUSH_DEADLINE_MS: wholeNumber(100, 120_000).default(10_000),
  PUSH_REDACT_CONTENT: flag.default(false),
  PUSH_HISTORY_DAYS: wholeNumber(1, 365).default(7),
  PUSH_DEAD_LETTER_DAYS: wholeNumber(1, 365).default(30),
  ...apnsVariables,
  FCM_DRIVER: z.enum(['http2', 'firebase-admin']).default('http2'),
  FCM_HOST: z.string().default('fcm.googleapis.com'),
  FCM_PORT: port.default(443),
  FCM_CA_FILE: z.string().optional(),
  FCM_SERVICE_ACCOUNT_FILE: z.string().optional(),
});

/** Reads the configuration of push-worker; throws ConfigError. */
export function readPushWorkerConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  return Object.freeze({
    logging: loggingOf(values),
    ...storesOf(values),
    tracing: tracingOf(values),
    externalUrl: new URL(values.EXTERNAL_URL).origin,
    health: { host: values.PUSH_HEALTH_HOST, port: values.PUSH_HEALTH_PORT },
    queues: values.PUSH_QUEUES,
    concurrency: values.PUSH_CONCURRENCY,
    deadlineMs: values.PUSH_DEADLINE_MS,
    redactsContent: values.PUSH_REDACT_CONTENT,
    retention: {
      historyMs: values.PUSH_HISTORY_DAYS * DAY_MS,
      deadLettersMs: values.PUSH_DEAD_LETTER_DAYS * DAY_MS,
    },
    apns: apnsOf(values),
    fcm: {
      driver: values.FCM_DRIVER,
      host: values.FCM_HOST,
      port: values.FCM_PORT,
      caFile: values.FCM_CA_FILE,
      serviceAccountFile: values.FCM_SERVICE_ACCOUNT_FILE,
    },
  });
}

export type PushWorkerConfig = ReturnType<typeof readPushWorkerConfig>;
