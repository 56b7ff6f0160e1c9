import { z } from 'zod';
import {
  databaseVariables,
  loggingOf,
  loggingVariables,
  pushKeySecretFrom,
  pushKeySecretVariables,
  pushLifetimeVariables,
  queueRedisVariables,
  redisVariables,
  storesOf,
  tracingOf,
  tracingVariables,
} from './common.variables.js';
import { pushFeedbackOf, pushFeedbackVariables } from './push-feedback.variables.js';
import { outboundProxyFrom, outboundProxyVariables } from './outbound-proxy.variables.js';
import { assertOnlyRelay, pushRelayFrom, pushRelayVariables } from './push-relay.variables.js';
import { allOrNone, ConfigError, readVariables } from './read-variables.js';
import { redisServersFrom } from './redis-servers.js';
import { sharedSettingsOf } from './shared-settings.js';
import {
  filePath,
  flag,
  hostName,
  list,
  listenHost,
  port,
  urlOf,
  wholeNumber,
} from './variable-types.js';
import { webPushOf, webPushVariables } from './web-push.variables.js';

/** A device of unknown environment is tried in this order. */
const environments = ['production', 'sandbox'] as const;
type Environment = (typeof environments)[number];

const isEnvironment = (item: string): item is Environment =>
  environments.some((environment) => environment === item);

const appleId = z
  .string()
  .regex(
    /^[A-Z0-9]{10}$/,
    "expected ten capital letters and digits, as in Apple's developer account",
  );

const apnsVariables = {
  APNS_DRIVER: z.enum(['http2', 'node-apn']).default('http2').meta({
    description:
      'What sends to Apple: our own client, or the library `@parse/node-apn`, which signs provider tokens of its own in each process.',
  }),
  APNS_HOST: hostName.optional().meta({
    isShared: true,
    byDefault: '`api.push.apple.com`',
    description: "Apple's production environment.",
  }),
  APNS_PORT: port.default(443).meta({ description: 'Apple also answers on 2197.' }),
  APNS_SANDBOX_HOST: hostName.optional().meta({
    byDefault: '`api.sandbox.push.apple.com`',
    description: "Apple's environment for development builds of an app.",
  }),
  APNS_SANDBOX_PORT: port.default(443).meta({ description: '' }),
  APNS_ENVIRONMENTS: list
    .refine((items) => items.length > 0 && items.every(isEnvironment), {
      message: 'expected production, sandbox, or both with a comma between',
    })
    .transform((items) => [...new Set(items.filter(isEnvironment))])
    .optional()
    .meta({
      takes: 'list of `production`, `sandbox`',
      byDefault: 'both; `production` alone when only `APNS_HOST` is set',
      description: 'Where devices may belong. One of unknown environment is tried in this order.',
    }),
  APNS_CA_FILE: filePath.optional().meta({
    byDefault: "the system's",
    description:
      'The certificate authority to trust in place of those of the system, in PEM. Only the push sandbox needs it.',
  }),
  APNS_KEY_FILE: filePath.optional().meta({ description: "Apple's signing key (`.p8`)." }),
  APNS_KEY_ID: appleId
    .optional()
    .meta({ takes: 'ten characters', description: 'The id of that key.' }),
  APNS_TEAM_ID: appleId
    .optional()
    .meta({ takes: 'ten characters', description: 'The id of the developer team.' }),
  APNS_CERTIFICATE_FILE: filePath
    .optional()
    .meta({ description: "In place of a key: an app's certificate, in PEM." }),
  APNS_CERTIFICATE_KEY_FILE: filePath
    .optional()
    .meta({ description: "The certificate's private key, in PEM without a passphrase." }),
  PUSH_APPS_FILE: filePath
    .optional()
    .meta({ description: 'Credentials of several apps: [the apps file](#the-apps-file).' }),
};

type ApnsValues = z.infer<z.ZodObject<typeof apnsVariables>>;

/** Throws ConfigError for incomplete credentials, and for two kinds of credentials. */
function apnsOf(values: ApnsValues) {
  return {
    driver: values.APNS_DRIVER,
    hosts: {
      production: { host: values.APNS_HOST ?? 'api.push.apple.com', port: values.APNS_PORT },
      sandbox: {
        host: values.APNS_SANDBOX_HOST ?? 'api.sandbox.push.apple.com',
        port: values.APNS_SANDBOX_PORT,
      },
    },
    environments: environmentsOf(values),
    caFile: values.APNS_CA_FILE,
    /** The credentials for topics that the apps file does not name. */
    signIn: signInOf(values),
    appsFile: values.PUSH_APPS_FILE ?? null,
  };
}

/** A lone APNS_HOST, such as the push sandbox, serves one environment only. */
function environmentsOf(values: ApnsValues): readonly Environment[] {
  const hasOneHost = values.APNS_HOST !== undefined && values.APNS_SANDBOX_HOST === undefined;
  return values.APNS_ENVIRONMENTS ?? (hasOneHost ? ['production'] : environments);
}

function signInOf(values: ApnsValues) {
  const key = allOrNone(values, ['APNS_KEY_FILE', 'APNS_KEY_ID', 'APNS_TEAM_ID']);
  const certificate = allOrNone(values, ['APNS_CERTIFICATE_FILE', 'APNS_CERTIFICATE_KEY_FILE']);
  if (key !== null && certificate !== null) {
    throw new ConfigError(['APNS_CERTIFICATE_FILE is set, and APNS_KEY_FILE too: one is enough']);
  }
  if (key !== null) {
    return {
      kind: 'token',
      keyFile: key.APNS_KEY_FILE,
      keyId: key.APNS_KEY_ID,
      teamId: key.APNS_TEAM_ID,
    } as const;
  }
  if (certificate === null) return null;
  return {
    kind: 'certificate',
    certificateFile: certificate.APNS_CERTIFICATE_FILE,
    privateKeyFile: certificate.APNS_CERTIFICATE_KEY_FILE,
  } as const;
}

const DAY_MS = 86_400_000;

/** The names of the queues without their common prefix. */
const queues = ['apns', 'apns-bulk', 'fcm', 'fcm-bulk', 'web', 'web-bulk', 'control'] as const;

export const pushWorkerVariables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  ...queueRedisVariables,
  ...tracingVariables,
  EXTERNAL_URL: urlOf('http', 'https').default('http://127.0.0.1:9991').meta({ isShared: true }),
  ...pushKeySecretVariables,
  ...pushRelayVariables,
  ...outboundProxyVariables,
  PUSH_HEALTH_HOST: listenHost.default('127.0.0.1').meta({ description: '' }),
  PUSH_HEALTH_PORT: port
    .default(9998)
    .meta({ description: '`/health/live`, `/health/ready` and `/metrics`.' }),
  PUSH_QUEUES: list
    .refine(
      (items) => items.length > 0 && items.every((item) => queues.some((queue) => queue === item)),
      {
        message: `expected names with commas between, of: ${queues.join(', ')}`,
      },
    )
    .transform((items) => queues.filter((queue) => items.includes(queue)))
    .default([...queues])
    .meta({
      takes: 'list',
      description:
        'The queues that this process takes jobs from. Every queue needs a process. The [jobs of `control`](reference.md#queues-and-jobs) are for all platforms.',
    }),
  PUSH_CONCURRENCY: wholeNumber(1, 1000).default(500).meta({
    description:
      'The most requests that run at the same time for each platform; bulk pushes get at most three fifths of them.',
  }),
  PUSH_DEADLINE_MS: wholeNumber(100, 120_000).optional().meta({
    byDefault: '`10000` for Apple and web push, `15000` for Google',
    description:
      'How long one attempt waits for the provider. Google asks for ten seconds or more, and recommends fifteen.',
  }),
  ...pushLifetimeVariables,
  PUSH_REDACT_CONTENT: flag.default(false).meta({
    isShared: true,
    description: 'Whether notifications of messages say "New message" and no more.',
  }),
  PUSH_HISTORY_DAYS: wholeNumber(1, 365).default(7).meta({
    isShared: true,
    description:
      'How long notifications and their deliveries can be asked about. Set it alike for all workers: the smallest value removes.',
  }),
  PUSH_DEAD_LETTER_DAYS: wholeNumber(1, 365).default(30).meta({
    description: 'How long a refused delivery is kept for an operator to requeue or dismiss it.',
  }),
  PUSH_APNS_TOKEN_DAYS: wholeNumber(0, 3650).default(365).meta({
    description:
      'After so long without a registration, a token counts as dead, also one of a phone of [another server](push-service.md#tokens); 0 for never.',
  }),
  PUSH_FCM_TOKEN_DAYS: wholeNumber(0, 3650).default(270).meta({
    description: "The same for Google's tokens, which Google ends then.",
  }),
  ...apnsVariables,
  FCM_DRIVER: z.enum(['http2', 'firebase-admin']).default('http2').meta({
    description: 'What sends to Google: our own client, or the library `firebase-admin`.',
  }),
  FCM_HOST: hostName.default('fcm.googleapis.com').meta({ isShared: true, description: '' }),
  FCM_PORT: port.default(443).meta({ description: '' }),
  FCM_CA_FILE: filePath.optional().meta({
    byDefault: "the system's",
    description:
      'The certificate authority to trust in place of those of the system, in PEM. Only the push sandbox needs it.',
  }),
  FCM_BANDWIDTH_CONSTRAINED_OK: flag.default(false).meta({
    description:
      'Whether messages, but not removals, may reach phones that have only a satellite link or another network of little bandwidth.',
  }),
  FCM_SERVICE_ACCOUNT_FILE: filePath
    .optional()
    .meta({ description: "The service account's JSON file, as Google's console gives it out." }),
  ...pushFeedbackVariables,
  ...webPushVariables,
});

/** The providers to which a worker shall send, and for which it has no credentials. */
function unconfiguredOf(values: z.infer<typeof pushWorkerVariables>): ('Apple' | 'Google')[] {
  if (values.PUSH_SERVICE_URL !== undefined) return [];
  const serves = (platform: string) =>
    values.PUSH_QUEUES.some((queue) => queue === platform || queue === `${platform}-bulk`);
  const apple = values.APNS_KEY_FILE ?? values.APNS_CERTIFICATE_FILE ?? values.PUSH_APPS_FILE;
  return [
    ...(serves('apns') && apple === undefined ? (['Apple'] as const) : []),
    ...(serves('fcm') && values.FCM_SERVICE_ACCOUNT_FILE === undefined
      ? (['Google'] as const)
      : []),
  ];
}

/** With one of them this server sends to Apple or Google itself. */
const credentials = [
  'APNS_KEY_FILE',
  'APNS_CERTIFICATE_FILE',
  'PUSH_APPS_FILE',
  'FCM_SERVICE_ACCOUNT_FILE',
] as const;

/** Reads the configuration of push-worker; throws ConfigError. */
export function readPushWorkerConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(pushWorkerVariables, environment);
  const relay = pushRelayFrom(values);
  const keySecret = pushKeySecretFrom(values);
  const queueRedis = redisServersFrom(values, 'QUEUE_REDIS_URL');
  const externalUrl = new URL(values.EXTERNAL_URL).origin;
  const outboundProxy = outboundProxyFrom(values);
  assertOnlyRelay(relay, values, credentials);
  return Object.freeze({
    logging: loggingOf(values),
    ...storesOf(values),
    queueRedis,
    tracing: tracingOf(values),
    shared: sharedSettingsOf(pushWorkerVariables, {
      ...values,
      EXTERNAL_URL: externalUrl,
      PUSH_KEY_SECRET: keySecret,
    }),
    externalUrl,
    /** Null: no encrypted notifications. */
    keySecret,
    /** Null: this server sends to Apple and Google itself. */
    relay,
    /** Null: connections to other servers are direct. */
    outboundProxy,
    health: { host: values.PUSH_HEALTH_HOST, port: values.PUSH_HEALTH_PORT },
    queues: values.PUSH_QUEUES.map((name) => `push-${name}` as const),
    unconfigured: unconfiguredOf(values),
    concurrency: values.PUSH_CONCURRENCY,
    redactsContent: values.PUSH_REDACT_CONTENT,
    timeToLiveMs: values.PUSH_TIME_TO_LIVE_SECONDS * 1000,
    retention: {
      historyMs: values.PUSH_HISTORY_DAYS * DAY_MS,
      deadLettersMs: values.PUSH_DEAD_LETTER_DAYS * DAY_MS,
    },
    feedback: pushFeedbackOf(values),
    tokenAges: {
      apns: values.PUSH_APNS_TOKEN_DAYS * DAY_MS,
      fcm: values.PUSH_FCM_TOKEN_DAYS * DAY_MS,
    },
    apns: { ...apnsOf(values), deadlineMs: values.PUSH_DEADLINE_MS ?? 10_000 },
    fcm: {
      deadlineMs: values.PUSH_DEADLINE_MS ?? 15_000,
      driver: values.FCM_DRIVER,
      host: values.FCM_HOST,
      port: values.FCM_PORT,
      caFile: values.FCM_CA_FILE,
      serviceAccountFile: values.FCM_SERVICE_ACCOUNT_FILE,
      usesConstrainedNetworks: values.FCM_BANDWIDTH_CONSTRAINED_OK,
    },
    webPush: {
      ...webPushOf(values, externalUrl, outboundProxy !== null),
      deadlineMs: values.PUSH_DEADLINE_MS ?? 10_000,
    },
  });
}

export type PushWorkerConfig = ReturnType<typeof readPushWorkerConfig>;
