import { type LocalStackConfig, readLocalStackConfig } from '#platform/config';
import { freePorts } from './free-ports.js';

const PORTS = [
  'PORT',
  'SANDBOX_PORT',
  'PRESENCE_PORT',
  'SANDBOX_APNS_PORT',
  'SANDBOX_FCM_PORT',
  'SANDBOX_WEB_PORT',
  'PRESENCE_HEALTH_PORT',
  'PUSH_HEALTH_PORT',
] as const;

/** The configuration of programs on free ports, with overrides of the environment of a local start. */
export async function throwawayConfig(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<LocalStackConfig> {
  const ports = await freePorts(PORTS.length);
  const given = PORTS.map((name, index) => [name, String(ports[index])]);
  return readLocalStackConfig({
    ...environment,
    DATA_DIR: dataDir,
    ...Object.fromEntries(given),
  });
}
