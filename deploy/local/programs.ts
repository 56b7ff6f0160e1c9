import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LocalStackConfig } from '#platform/config';
import type { Stores } from './stores.js';
import type { Program } from './supervisor.js';

/** The programs, in the order in which they start. */
export const programNames = ['push-sandbox', 'presence', 'push-worker', 'api-gateway'] as const;
type ProgramName = (typeof programNames)[number];

/**
 * A push lives for tens of milliseconds, and a held poll for longer. With the default young generation of V8, most of them
 * survive a collection and are copied, which took a quarter of the time of a busy worker and a sixth of that of a gateway.
 * The limit of the heap of a gateway is that of Node in a container of 1 GiB: without it V8 keeps more garbage.
 */
const NODE_ARGS = {
  'push-sandbox': [],
  presence: [],
  'push-worker': ['--max-semi-space-size=64'],
  'api-gateway': ['--max-semi-space-size=32', '--max-old-space-size=512'],
} as const;

/**
 * Makes glibc return the memory of large texts at once. By default it raises its threshold with each of them, and keeps the
 * next ones in heaps that other blocks prevent from shrinking, in up to eight arenas for each core.
 */
const RETURNED_MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** The location of a stack. */
export interface StackPlace {
  readonly config: LocalStackConfig;
  /** As an absolute path. */
  readonly dataDir: string;
}

/** The shared settings of the programs of a stack. */
export interface StackParts extends StackPlace {
  readonly stores: Stores;
  readonly apiKeySecret: Buffer;
  readonly presenceSecret: Buffer;
  readonly pushKeySecret: Buffer;
  readonly opsToken: string;
}

/** The URLs of a stack, all on the loopback address. */
export function addressesOf({ ports }: LocalStackConfig): { gateway: string; sandbox: string } {
  return {
    gateway: `http://127.0.0.1:${ports.gateway}`,
    sandbox: `http://127.0.0.1:${ports.sandbox}`,
  };
}

/** The command and the environment of a program. The worker needs the credentials from the sandbox. */
export function programOf(name: ProgramName, parts: StackParts): Program {
  if (name === 'push-sandbox') return sandboxOf(parts);
  const { ports } = parts.config;
  const [readyPort, own] = {
    presence: () => [ports.presenceHealth, presenceEnvironment(parts)] as const,
    'push-worker': () => [ports.pushHealth, workerEnvironment(parts)] as const,
    'api-gateway': () => [ports.gateway, gatewayEnvironment(parts)] as const,
  }[name]();
  const environment = {
    LOG_FORMAT: 'text',
    DATABASE_URL: parts.stores.databaseUrl,
    REDIS_URL: parts.stores.redisUrl,
    DATA_DIR: parts.dataDir,
    ...RETURNED_MEMORY,
    EXTERNAL_URL: addressesOf(parts.config).gateway,
    ...own,
  };
  return { name, nodeArgs: NODE_ARGS[name], environment, readyUrl: readyUrlOn(readyPort) };
}

/** The push sandbox, which does not depend on the other programs. */
export function sandboxOf({ config: { ports }, dataDir }: StackPlace): Program {
  return {
    name: 'push-sandbox',
    nodeArgs: NODE_ARGS['push-sandbox'],
    environment: {
      LOG_FORMAT: 'text',
      DATA_DIR: dataDir,
      SANDBOX_PORT: String(ports.sandbox),
      SANDBOX_APNS_PORT: String(ports.sandboxApns),
      SANDBOX_FCM_PORT: String(ports.sandboxFcm),
      SANDBOX_WEB_PORT: String(ports.sandboxWeb),
    },
    readyUrl: readyUrlOn(ports.sandbox),
  };
}

const readyUrlOn = (port: number) => `http://127.0.0.1:${port}/health/ready`;

function presenceEnvironment({ config: { ports }, presenceSecret }: StackParts) {
  return {
    PRESENCE_SECRET: presenceSecret.toString('base64'),
    PRESENCE_PORT: String(ports.presence),
    PRESENCE_HEALTH_PORT: String(ports.presenceHealth),
  };
}

function gatewayEnvironment({
  config,
  dataDir,
  apiKeySecret,
  presenceSecret,
  pushKeySecret,
  opsToken,
}: StackParts) {
  return {
    PORT: String(config.ports.gateway),
    API_KEY_SECRET: apiKeySecret.toString('base64'),
    PUSH_KEY_SECRET: pushKeySecret.toString('base64'),
    PUSH_SERVICE_ENABLED: String(config.isPushService),
    // A laptop behind a proxy starts too: no stranger reaches this push service.
    PUSH_SERVICE_PROXY_FILTERS_PRIVATE: 'true',
    ...(!config.ownProviders.web && webPushHosts(config)),
    OPS_TOKEN: opsToken,
    DEMO_FILE: path.join(dataDir, 'demo.json'),
    // All clients of a laptop have the same address.
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: '10000',
    PRESENCE_SECRET: presenceSecret.toString('base64'),
    PRESENCE_ADDRESSES: `127.0.0.1:${config.ports.presence}`,
  };
}

/** A provider with a configuration of the user keeps all its variables. */
function workerEnvironment({ config, dataDir, pushKeySecret }: StackParts) {
  const { ports, ownProviders } = config;
  const sandbox = path.join(dataDir, 'sandbox');
  const authority = path.join(sandbox, 'ca.pem');
  return {
    PUSH_HEALTH_PORT: String(ports.pushHealth),
    PUSH_KEY_SECRET: pushKeySecret.toString('base64'),
    ...(!ownProviders.apns && {
      APNS_HOST: '127.0.0.1',
      APNS_PORT: String(ports.sandboxApns),
      APNS_CA_FILE: authority,
      APNS_KEY_FILE: path.join(sandbox, 'apns-key.p8'),
      ...apnsIdentity(path.join(sandbox, 'apns.json')),
    }),
    ...(!ownProviders.fcm && {
      FCM_HOST: '127.0.0.1',
      FCM_PORT: String(ports.sandboxFcm),
      FCM_CA_FILE: authority,
      FCM_SERVICE_ACCOUNT_FILE: path.join(sandbox, 'service-account.json'),
    }),
    ...(!ownProviders.web && {
      ...webPushHosts(config),
      WEB_PUSH_CONTACT: 'mailto:operator@example.org',
      WEB_PUSH_CA_FILE: authority,
    }),
  };
}

/** The endpoints of the sandbox's browsers, which gateways permit and workers send to. */
const webPushHosts = ({ ports }: LocalStackConfig) => ({
  WEB_PUSH_HOSTS: 'localhost',
  WEB_PUSH_PORTS: String(ports.sandboxWeb),
  WEB_PUSH_PRIVATE_HOSTS: 'localhost',
});

function apnsIdentity(file: string) {
  // The sandbox writes the file in this format.
  const identity = JSON.parse(readFileSync(file, 'utf8')) as { key_id: string; team_id: string };
  return { APNS_KEY_ID: identity.key_id, APNS_TEAM_ID: identity.team_id };
}
