import { z } from 'zod';
import { readVariables } from './read-variables.js';
import { operatorToken, port, secretKey, urlOf } from './variable-types.js';

export const variables = z.object({
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: urlOf('postgresql', 'postgres').optional(),
  REDIS_URL: urlOf('redis', 'rediss').optional(),
  PORT: port.default(9991),
  SANDBOX_PORT: port.default(9992),
  PRESENCE_PORT: port.default(9993),
  SANDBOX_APNS_PORT: port.default(9994),
  SANDBOX_FCM_PORT: port.default(9995),
  PRESENCE_HEALTH_PORT: port.default(9997),
  PUSH_HEALTH_PORT: port.default(9998),
  API_KEY_SECRET: secretKey.optional(),
  PRESENCE_SECRET: secretKey.optional(),
  OPS_TOKEN: operatorToken.optional(),
  APNS_HOST: z.string().optional(),
  APNS_KEY_FILE: z.string().optional(),
  APNS_CERTIFICATE_FILE: z.string().optional(),
  PUSH_APPS_FILE: z.string().optional(),
  FCM_HOST: z.string().optional(),
  FCM_SERVICE_ACCOUNT_FILE: z.string().optional(),
});

/** Reads what `npm start`, `npm test` and `npm run demo` obey; throws ConfigError. */
export function readLocalStackConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  return Object.freeze({
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    apiKeySecret: values.API_KEY_SECRET,
    presenceSecret: values.PRESENCE_SECRET,
    opsToken: values.OPS_TOKEN,
    /** Providers that the user has configured, so that the sandbox must not stand in for them. */
    ownProviders: {
      apns: isAnySet(
        values.APNS_HOST,
        values.APNS_KEY_FILE,
        values.APNS_CERTIFICATE_FILE,
        values.PUSH_APPS_FILE,
      ),
      fcm: isAnySet(values.FCM_HOST, values.FCM_SERVICE_ACCOUNT_FILE),
    },
    ports: {
      gateway: values.PORT,
      sandbox: values.SANDBOX_PORT,
      presence: values.PRESENCE_PORT,
      sandboxApns: values.SANDBOX_APNS_PORT,
      sandboxFcm: values.SANDBOX_FCM_PORT,
      presenceHealth: values.PRESENCE_HEALTH_PORT,
      pushHealth: values.PUSH_HEALTH_PORT,
    },
  });
}

const isAnySet = (...values: readonly (string | undefined)[]): boolean =>
  values.some((value) => value !== undefined);

export type LocalStackConfig = ReturnType<typeof readLocalStackConfig>;

/** Whether npm runs us, as a script of package.json. */
export function isRunByNpm(): boolean {
  return process.env['npm_lifecycle_event'] !== undefined;
}

/** The environment for a child program: ours over the defaults, and the given variables on top. */
export function childEnvironment(
  variablesOnTop: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  const ours = Object.entries(process.env).filter(([name, value]) => value || !(name in defaults));
  return { ...defaults, ...Object.fromEntries(ours), ...variablesOnTop };
}
