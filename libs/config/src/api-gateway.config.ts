import { z } from 'zod';
import { readApiKeySecret } from './api-key-secret.js';
import {
  databaseVariables,
  loggingOf,
  loggingVariables,
  redisVariables,
  storesOf,
  tracingOf,
  tracingVariables,
} from './common.variables.js';
import { httpOf, httpVariables } from './http.variables.js';
import { limitsOf, limitVariables } from './limits.variables.js';
import { presenceSecretFrom, presenceSecretVariables } from './presence-secret.variables.js';
import { presenceTimingFrom, presenceTimingVariables } from './presence-timing.variables.js';
import { readVariables } from './read-variables.js';
import {
  addresses,
  flag,
  listenHost,
  operatorToken,
  port,
  rateRules,
  secretKey,
  wholeNumber,
} from './variable-types.js';
import { uploadsOf, uploadVariables } from './uploads.variables.js';
import { videoCallsOf, videoCallVariables } from './video-calls.variables.js';

export const variables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  ...tracingVariables,
  ...httpVariables,
  GATEWAY_METRICS_HOST: listenHost.default('127.0.0.1'),
  GATEWAY_METRICS_PORT: port.optional(),
  API_KEY_SECRET: secretKey.optional(),
  API_KEY_SECRET_FILE: z.string().default('.data/api-key-secret'),
  RATE_LIMIT_USER: rateRules.default([{ seconds: 60, calls: 200 }]),
  RATE_LIMIT_ADDRESS: rateRules.default([{ seconds: 60, calls: 100 }]),
  RATE_LIMIT_FILE: rateRules.default([{ seconds: 60, calls: 1000 }]),
  RATE_LIMIT_SIGN_IN: rateRules.default([{ seconds: 1800, calls: 5 }]),
  SIGN_IN_CACHE_SECONDS: wholeNumber(1, 3600).default(30),
  ...presenceTimingVariables,
  ...presenceSecretVariables,
  PRESENCE_ADDRESSES: addresses.default([{ host: '127.0.0.1', port: 9993 }]),
  PRESENCE_DEADLINE_MS: wholeNumber(50, 30_000).default(1500),
  PUSH_TEST_WAIT_MS: wholeNumber(0, 30_000).default(4000),
  PUSH_TIME_TO_LIVE_SECONDS: wholeNumber(10, 86_400).default(1800),
  ...uploadVariables,
  ...limitVariables,
  ...videoCallVariables,
  API_DOCS: flag.default(true),
  OPS_TOKEN: operatorToken.optional(),
});

/** Reads the configuration of api-gateway; throws ConfigError. */
export function readApiGatewayConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  return Object.freeze({
    logging: loggingOf(values),
    ...storesOf(values),
    tracing: tracingOf(values),
    metrics: metricsOf(values.GATEWAY_METRICS_HOST, values.GATEWAY_METRICS_PORT),
    http: { ...httpOf(values), servesDocs: values.API_DOCS },
    auth: {
      apiKeySecret: readApiKeySecret(values.API_KEY_SECRET, values.API_KEY_SECRET_FILE),
      cacheSeconds: values.SIGN_IN_CACHE_SECONDS,
      signInRules: values.RATE_LIMIT_SIGN_IN,
    },
    rateLimits: {
      perUser: values.RATE_LIMIT_USER,
      perAddress: values.RATE_LIMIT_ADDRESS,
      ofFiles: values.RATE_LIMIT_FILE,
      testNotifications: values.RATE_LIMIT_TEST_NOTIFICATIONS,
    },
    limits: limitsOf(values, values.MAX_FILE_UPLOAD_SIZE),
    presence: {
      addresses: values.PRESENCE_ADDRESSES,
      deadlineMs: values.PRESENCE_DEADLINE_MS,
      secret: presenceSecretFrom(values),
      timing: presenceTimingFrom(values),
    },
    push: {
      testWaitMs: values.PUSH_TEST_WAIT_MS,
      timeToLiveMs: values.PUSH_TIME_TO_LIVE_SECONDS * 1000,
    },
    uploads: uploadsOf(values),
    videoCalls: videoCallsOf(values),
    /** Without a token there is no ops page. */
    ops: { token: values.OPS_TOKEN },
  });
}

/** The API's port is the public's: metrics have one of their own, or none. */
const metricsOf = (metricsHost: string, metricsPort: number | undefined) =>
  metricsPort === undefined ? null : { host: metricsHost, port: metricsPort };

export type ApiGatewayConfig = ReturnType<typeof readApiGatewayConfig>;
