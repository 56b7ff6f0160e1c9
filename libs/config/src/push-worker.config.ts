import { z } from 'zod';
import {
  databaseVariables,
  loggingOf,
  loggingVariables,
  redisVariables,
  storesOf,
} from './common.variables.js';
import { readVariables } from './read-variables.js';
import { list, port, urlOf, wholeNumber } from './variable-types.js';

const queues = ['apns', 'apns-bulk', 'fcm', 'fcm-bulk', 'control'] as const;

const variables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  EXTERNAL_URL: urlOf('http', 'https').default('http://127.0.0.1:9991'),
  PUSH_HEALTH_HOST: z.string().default('127.0.0.1'),
  PUSH_HEALTH_PORT: port.default(9998),
  PUSH_QUEUES: list
    .refine((items) => items.every((item) => queues.some((queue) => queue === item)), {
      message: `expected names with commas between, of: ${queues.join(', ')}`,
    })
    .transform((items) => queues.filter((queue) => items.includes(queue)))
    .default([...queues]),
  PUSH_CONCURRENCY: wholeNumber(1, 1000).default(64),
  PUSH_DEADLINE_MS: wholeNumber(100, 120_000).default(10_000),
  APNS_DRIVER: z.enum(['http2', 'node-apn']).default('http2'),
  APNS_HOST: z.string().default('api.push.apple.com'),
  APNS_PORT: port.default(443),
  APNS_CA_FILE: z.string().optional(),
  APNS_KEY_FILE: z.string().optional(),
  APNS_KEY_ID: z.string().optional(),
  APNS_TEAM_ID: z.string().optional(),
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
    externalUrl: new URL(values.EXTERNAL_URL).origin,
    health: { host: values.PUSH_HEALTH_HOST, port: values.PUSH_HEALTH_PORT },
    queues: values.PUSH_QUEUES,
    concurrency: values.PUSH_CONCURRENCY,
    deadlineMs: values.PUSH_DEADLINE_MS,
    apns: {
      driver: values.APNS_DRIVER,
      host: values.APNS_HOST,
      port: values.APNS_PORT,
      caFile: values.APNS_CA_FILE,
      keyFile: values.APNS_KEY_FILE,
      keyId: values.APNS_KEY_ID,
      teamId: values.APNS_TEAM_ID,
    },
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
