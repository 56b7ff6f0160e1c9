import { z } from 'zod';
import { loggingOf, loggingVariables } from './common.variables.js';
import { readVariables } from './read-variables.js';
import { listenHost, port } from './variable-types.js';

export const variables = z.object({
  ...loggingVariables,
  DATA_DIR: z.string().default('.data'),
  SANDBOX_HOST: listenHost.default('127.0.0.1'),
  SANDBOX_PORT: port.default(9992),
  SANDBOX_APNS_PORT: port.default(9994),
  SANDBOX_APNS_SANDBOX_PORT: port.optional(),
  SANDBOX_FCM_PORT: port.default(9995),
});

/** Reads the configuration of push-sandbox; throws ConfigError. */
export function readPushSandboxConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  return Object.freeze({
    logging: loggingOf(values),
    dataDir: values.DATA_DIR,
    host: values.SANDBOX_HOST,
    port: values.SANDBOX_PORT,
    apnsPort: values.SANDBOX_APNS_PORT,
    ...(values.SANDBOX_APNS_SANDBOX_PORT !== undefined && {
      apnsSandboxPort: values.SANDBOX_APNS_SANDBOX_PORT,
    }),
    fcmPort: values.SANDBOX_FCM_PORT,
  });
}

export type PushSandboxConfig = ReturnType<typeof readPushSandboxConfig>;
