import { z } from 'zod';
import {
  httpOf,
  httpVariables,
  limitsOf,
  limitVariables,
  uploadsOf,
  uploadVariables,
  videoCallsOf,
  videoCallVariables,
} from './api-gateway.variables.js';
import {
  databaseVariables,
  loggingOf,
  loggingVariables,
  presenceSecretFrom,
  presenceSecretVariables,
  presenceTimingFrom,
  presenceTimingVariables,
  pushKeySecretFrom,
  pushKeySecretVariables,
  pushLifetimeVariables,
  queueRedisVariables,
  redisVariables,
  storesOf,
  tracingOf,
  tracingVariables,
} from './common.variables.js';
import { outboundProxyFrom, outboundProxyVariables } from './outbound-proxy.variables.js';
import { assertOnlyRelay, pushRelayFrom, pushRelayVariables } from './push-relay.variables.js';
import {
  assertProxyFilters,
  pushServiceOf,
  pushServiceVariables,
} from './push-service.variables.js';
import { readApiKeySecret, readVariables } from './read-variables.js';
import { redisServersFrom } from './redis-servers.js';
import { sharedSettingsOf } from './shared-settings.js';
import {
  addresses,
  filePath,
  flag,
  listenHost,
  fileOf,
  operatorToken,
  port,
  rateRules,
  secretKey,
  wholeNumber,
} from './variable-types.js';
import { webPushEndpointsOf, webPushHostVariables } from './web-push.variables.js';

export const apiGatewayVariables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  ...queueRedisVariables,
  ...tracingVariables,
  ...outboundProxyVariables,
  ...httpVariables,
  GATEWAY_METRICS_HOST: listenHost
    .default('127.0.0.1')
    .meta({ description: 'Keep it on a private network: metrics have no sign-in.' }),
  GATEWAY_METRICS_PORT: port.optional().meta({
    description:
      '`/metrics` and `/health`, apart from the public port. Without it the gateway serves no metrics.',
  }),
  API_KEY_SECRET: secretKey.optional().meta({
    isShared: true,
    description: 'The secret under which API keys are stored (`openssl rand -base64 32`).',
  }),
  API_KEY_SECRET_FILE: filePath
    .default('.data/api-key-secret')
    .meta({ description: 'The file to read the secret from when `API_KEY_SECRET` is not set.' }),
  RATE_LIMIT_USER: rateRules.default([{ seconds: 60, calls: 200 }]).meta({
    description:
      'Calls of one signed-in account. If they are spread over several gateways, a tenth more may be accepted for each gateway but one.',
  }),
  RATE_LIMIT_ADDRESS: rateRules.default([{ seconds: 60, calls: 100 }]).meta({
    description: 'Calls of one IPv4 address, or of one IPv6 /64 network, that are not signed in.',
  }),
  RATE_LIMIT_FILE: rateRules.default([{ seconds: 60, calls: 1000 }]).meta({
    description:
      'Files and pictures that one account reads, or, where no sign-in is needed, one address. They are not charged as calls.',
  }),
  RATE_LIMIT_RECEIPTS: rateRules.default([{ seconds: 60, calls: 60 }]).meta({
    description:
      'Requests of one account with [receipts](push-outcomes.md#receipts-of-phones), each with up to a hundred. They do not count as calls.',
  }),
  RATE_LIMIT_SIGN_IN: rateRules.default([{ seconds: 1800, calls: 5 }]).meta({
    description:
      'Failed passwords for one account; wrong tokens at `/ops` from one address. Beyond it a wrong token is refused with 429, and every token, the right one too, is compared after a second.',
  }),
  SIGN_IN_CACHE_SECONDS: wholeNumber(1, 3600).default(30).meta({
    description:
      'How long a sign-in is kept in memory. A replaced key is refused at once with any value.',
  }),
  ...presenceTimingVariables,
  ...presenceSecretVariables,
  PRESENCE_ADDRESSES: addresses.default([{ host: '127.0.0.1', port: 9993 }]).meta({
    description:
      'Where the presence processes listen, in any order. A name stands for all its A and AAAA records, whenever they change: [scaling presence](operations.md#scaling-presence).',
  }),
  PRESENCE_DISCOVERY_SECONDS: wholeNumber(1, 300).default(5).meta({
    description:
      'How often the names in `PRESENCE_ADDRESSES` are looked up. While a lookup fails, the processes from before are used.',
  }),
  PRESENCE_DEADLINE_MS: wholeNumber(50, 30_000).default(1500).meta({
    description:
      'How long a presence request waits for an answer of presence. In large organisations an answer takes up to 250 ms.',
  }),
  ...pushKeySecretVariables,
  ...pushRelayVariables,
  ...pushServiceVariables,
  ...webPushHostVariables,
  PUSH_TEST_WAIT_MS: wholeNumber(0, 30_000).default(4000).meta({
    description: "How long a test notification to one device waits for the provider's answer.",
  }),
  ...pushLifetimeVariables,
  ...uploadVariables,
  ...limitVariables,
  ...videoCallVariables,
  API_DOCS: flag
    .default(true)
    .meta({ description: 'Whether `/docs` and `/api/v1/openapi.json` are served.' }),
  DEMO_FILE: filePath.optional().meta({
    description:
      'The `demo.json` of the demo organisation. With it the gateway serves the [demo page](getting-started.md#the-demo-page). `npm start` sets it.',
  }),
  OPS_TOKEN_FILE: fileOf('OPS_TOKEN'),
  OPS_TOKEN: operatorToken.optional().meta({
    description:
      'What an operator signs in with at [`/ops`](ops-page.md); without it there is no ops page. `npm start` makes one and writes it into `.data/demo.json`.',
  }),
});

/** Null: no metrics. Their port differs from the port of the API, which is public. */
const metricsOf = ({
  GATEWAY_METRICS_HOST: host,
  GATEWAY_METRICS_PORT: number,
}: z.infer<typeof apiGatewayVariables>) => (number === undefined ? null : { host, port: number });

/** Null: connections to other servers are direct. Throws ConfigError if strangers could have it connect to private addresses. */
function outboundProxyOf(values: z.infer<typeof apiGatewayVariables>) {
  const proxy = outboundProxyFrom(values);
  assertProxyFilters(values, proxy !== null);
  return proxy;
}

/** Reads the configuration of api-gateway; throws ConfigError. */
export function readApiGatewayConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(apiGatewayVariables, environment);
  const http = httpOf(values);
  const keySecret = pushKeySecretFrom(values);
  const apiKeySecret = readApiKeySecret(values.API_KEY_SECRET, values.API_KEY_SECRET_FILE);
  const presenceSecret = presenceSecretFrom(values);
  const queueRedis = redisServersFrom(values, 'QUEUE_REDIS_URL');
  const relay = pushRelayFrom(values);
  assertOnlyRelay(relay, values, ['PUSH_SERVICE_ENABLED']);
  return Object.freeze({
    logging: loggingOf(values),
    ...storesOf(values),
    queueRedis,
    tracing: tracingOf(values),
    outboundProxy: outboundProxyOf(values),
    shared: sharedSettingsOf(apiGatewayVariables, {
      ...values,
      API_KEY_SECRET: apiKeySecret,
      EXTERNAL_URL: http.externalUrl,
      PRESENCE_SECRET: presenceSecret,
      PUSH_KEY_SECRET: keySecret,
    }),
    metrics: metricsOf(values),
    http: { ...http, servesDocs: values.API_DOCS },
    auth: {
      apiKeySecret,
      cacheSeconds: values.SIGN_IN_CACHE_SECONDS,
      signInRules: values.RATE_LIMIT_SIGN_IN,
    },
    rateLimits: {
      perUser: values.RATE_LIMIT_USER,
      perAddress: values.RATE_LIMIT_ADDRESS,
      ofFiles: values.RATE_LIMIT_FILE,
      receipts: values.RATE_LIMIT_RECEIPTS,
      testNotifications: values.RATE_LIMIT_TEST_NOTIFICATIONS,
      eventQueues: values.RATE_LIMIT_EVENT_QUEUE,
    },
    limits: limitsOf(values, values.MAX_FILE_UPLOAD_SIZE),
    presence: {
      addresses: values.PRESENCE_ADDRESSES,
      discoveryMs: values.PRESENCE_DISCOVERY_SECONDS * 1000,
      deadlineMs: values.PRESENCE_DEADLINE_MS,
      secret: presenceSecret,
      timing: presenceTimingFrom(values),
    },
    push: {
      /** Null: no encrypted notifications. */
      keySecret,
      /** Null: this server sends to Apple and Google itself. */
      relay,
      testWaitMs: values.PUSH_TEST_WAIT_MS,
      timeToLiveMs: values.PUSH_TIME_TO_LIVE_SECONDS * 1000,
      /** The endpoints that subscriptions may have. */
      webPushEndpoints: webPushEndpointsOf(values),
    },
    /** Null: no push service for other servers. */
    pushService: pushServiceOf(values, keySecret, new URL(http.externalUrl).hostname),
    uploads: uploadsOf(values),
    videoCalls: videoCallsOf(values),
    /** Null: no demo page. */
    demoFile: values.DEMO_FILE ?? null,
    /** Without a token there is no ops page. */
    ops: { token: values.OPS_TOKEN },
  });
}

export type ApiGatewayConfig = ReturnType<typeof readApiGatewayConfig>;
