import { z } from 'zod';
import { loggingOf, loggingVariables } from './common.variables.js';
import { pushRelayVariables } from './push-relay.variables.js';
import { readVariables } from './read-variables.js';
import {
  databaseUrl,
  filePath,
  flag,
  hostName,
  listenHost,
  operatorToken,
  port,
  redisAddress,
  secretKey,
  urlOf,
  wholeNumber,
} from './variable-types.js';

export const localStackVariables = z.object({
  DATA_DIR: filePath.default('.data'),
  DATABASE_URL: databaseUrl.optional(),
  REDIS_URL: redisAddress.optional(),
  PORT: port.default(9991),
  SANDBOX_PORT: port.default(9992),
  PRESENCE_PORT: port.default(9993),
  SANDBOX_APNS_PORT: port.default(9994),
  SANDBOX_FCM_PORT: port.default(9995),
  SANDBOX_WEB_PORT: port.default(9996),
  PRESENCE_HEALTH_PORT: port.default(9997),
  PUSH_HEALTH_PORT: port.default(9998),
  API_KEY_SECRET: secretKey.optional(),
  PRESENCE_SECRET: secretKey.optional(),
  PUSH_KEY_SECRET: secretKey.optional(),
  PUSH_SERVICE_ENABLED: flag.optional(),
  PUSH_SERVICE_URL: pushRelayVariables.PUSH_SERVICE_URL,
  OPS_TOKEN: operatorToken.optional(),
  APNS_HOST: hostName.optional(),
  APNS_KEY_FILE: filePath.optional(),
  APNS_CERTIFICATE_FILE: filePath.optional(),
  PUSH_APPS_FILE: filePath.optional(),
  FCM_HOST: hostName.optional(),
  FCM_SERVICE_ACCOUNT_FILE: filePath.optional(),
  WEB_PUSH_HOSTS: z.string().optional(),
  WEB_PUSH_CONTACT: z.string().optional(),
});

/** Reads the configuration of `npm start`, `npm test` and `npm run demo`; throws ConfigError. */
export function readLocalStackConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(localStackVariables, environment);
  return Object.freeze({
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    apiKeySecret: values.API_KEY_SECRET,
    presenceSecret: values.PRESENCE_SECRET,
    pushKeySecret: values.PUSH_KEY_SECRET,
    /** A server that sends through another one is not a push service, and has no credentials of its own. */
    isPushService: values.PUSH_SERVICE_ENABLED ?? values.PUSH_SERVICE_URL === undefined,
    opsToken: values.OPS_TOKEN,
    /** Providers that the user has configured: the sandbox must not replace them. */
    ownProviders: {
      apns: isAnySet(
        values.PUSH_SERVICE_URL,
        values.APNS_HOST,
        values.APNS_KEY_FILE,
        values.APNS_CERTIFICATE_FILE,
        values.PUSH_APPS_FILE,
      ),
      fcm: isAnySet(values.PUSH_SERVICE_URL, values.FCM_HOST, values.FCM_SERVICE_ACCOUNT_FILE),
      web: isAnySet(values.WEB_PUSH_HOSTS, values.WEB_PUSH_CONTACT),
    },
    ports: {
      gateway: values.PORT,
      sandbox: values.SANDBOX_PORT,
      presence: values.PRESENCE_PORT,
      sandboxApns: values.SANDBOX_APNS_PORT,
      sandboxFcm: values.SANDBOX_FCM_PORT,
      sandboxWeb: values.SANDBOX_WEB_PORT,
      presenceHealth: values.PRESENCE_HEALTH_PORT,
      pushHealth: values.PUSH_HEALTH_PORT,
    },
  });
}

const isAnySet = (...values: readonly (string | undefined)[]): boolean =>
  values.some((value) => value !== undefined);

export type LocalStackConfig = ReturnType<typeof readLocalStackConfig>;

/** Whether this process is a script of package.json, run by npm. */
export function isRunByNpm(): boolean {
  return process.env['npm_lifecycle_event'] !== undefined;
}

/** The environment for a child process: `variablesOnTop` over the environment of this process over `defaults`. */
export function childEnvironment(
  variablesOnTop: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  const ours = Object.entries(process.env).filter(([name, value]) => value || !(name in defaults));
  return { ...defaults, ...Object.fromEntries(ours), ...variablesOnTop };
}

export const pushSandboxVariables = z.object({
  ...loggingVariables,
  DATA_DIR: filePath.default('.data'),
  SANDBOX_HOST: listenHost.default('127.0.0.1').meta({ description: 'Where the sandbox listens.' }),
  SANDBOX_PUBLIC_HOST: hostName.default('127.0.0.1').meta({
    description:
      'The name under which workers reach it: its certificate is valid for it, and the service account leads to it.',
  }),
  SANDBOX_PORT: port
    .default(9992)
    .meta({ description: 'The inbox page and the control interface.' }),
  SANDBOX_APNS_PORT: port.default(9994).meta({ description: 'The stand-in for Apple.' }),
  SANDBOX_APNS_SANDBOX_PORT: port.optional().meta({
    description:
      "The stand-in for Apple's environment for development builds; not started without this port.",
  }),
  SANDBOX_FCM_PORT: port.default(9995).meta({ description: 'The stand-in for Google.' }),
  SANDBOX_WEB_PORT: port
    .default(9996)
    .meta({ description: 'The stand-in for the push services of browsers.' }),
});

/** Reads the configuration of push-sandbox; throws ConfigError. */
export function readPushSandboxConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(pushSandboxVariables, environment);
  return Object.freeze({
    logging: loggingOf(values),
    dataDir: values.DATA_DIR,
    host: values.SANDBOX_HOST,
    publicHost: values.SANDBOX_PUBLIC_HOST,
    port: values.SANDBOX_PORT,
    apnsPort: values.SANDBOX_APNS_PORT,
    ...(values.SANDBOX_APNS_SANDBOX_PORT !== undefined && {
      apnsSandboxPort: values.SANDBOX_APNS_SANDBOX_PORT,
    }),
    fcmPort: values.SANDBOX_FCM_PORT,
    webPort: values.SANDBOX_WEB_PORT,
  });
}

/** Without `webPort` there is no push service of browsers. */
export type PushSandboxConfig = Omit<ReturnType<typeof readPushSandboxConfig>, 'webPort'> & {
  readonly webPort?: number;
};

export const testStoresVariables = z.object({
  TEST_DATABASE_URL: urlOf('postgresql', 'postgres').meta({
    description: 'The throwaway PostgreSQL of the run.',
  }),
  TEST_REDIS_URL: urlOf('redis', 'rediss').meta({ description: 'The throwaway Redis of the run.' }),
  TEST_GATEWAYS_PORT: port.meta({
    description: 'The port at which the workers of Jest ask Jest for the ports of their gateways.',
  }),
  TEST_LONG: z.stringbool().default(false).meta({
    takes: '`true` or `false`',
    description: 'Whether random tests run long, as in `npm run test:chaos`.',
  }),
  TEST_REQUESTS: z.coerce.number().int().min(1).optional().meta({
    takes: 'number from 1',
    description: 'The number of requests of the hostile run; `npm run test:chaos -- --requests=…`.',
  }),
  JEST_WORKER_ID: z
    .string()
    .default('1')
    .meta({ takes: 'number', description: "Which of Jest's workers this is; set by Jest." }),
});

/** Reads the addresses of the temporary stores that `npm test` starts. Throws ConfigError outside of `npm test`. */
export function readTestStoresConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(testStoresVariables, environment);
  return Object.freeze({
    databaseUrl: values.TEST_DATABASE_URL,
    redisUrl: values.TEST_REDIS_URL,
    /** Where the main process of Jest publishes the gateways of its workers. */
    gatewaysPort: values.TEST_GATEWAYS_PORT,
    /** Whether random tests run long, with a random seed. */
    isLong: values.TEST_LONG,
    /** The number of requests of the hostile run, if it is given. */
    requests: values.TEST_REQUESTS,
    /** The number of this Jest worker, from 1. */
    workerId: values.JEST_WORKER_ID,
  });
}

export const containersTestVariables = z.object({
  CONTAINERS_VERSION: z.string().optional().meta({
    takes: 'text',
    byDefault: 'builds an image',
    description:
      'The tag of an image of this project that the engine has, for `npm run test:containers`, in place of building one.',
  }),
  CONTAINERS_REQUESTS_PER_SECOND: wholeNumber(1, 1000).default(100).meta({
    description:
      'The load of `npm run test:containers` during upgrades. A busy machine carries less.',
  }),
  CONTAINERS_ENGINE_RESTART: z.string().optional().meta({
    takes: 'command',
    byDefault: 'skips the test',
    description:
      'Restarts the container engine, with all containers, for `npm run test:containers`, such as `sudo systemctl restart docker`.',
  }),
});

/** Reads the variables of `npm run test:containers`. */
export function readContainersTestConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(containersTestVariables, environment);
  return Object.freeze({
    /** Undefined: an image has to be built. */
    version: values.CONTAINERS_VERSION,
    requestsPerSecond: values.CONTAINERS_REQUESTS_PER_SECOND,
    engineRestart: values.CONTAINERS_ENGINE_RESTART,
  });
}
