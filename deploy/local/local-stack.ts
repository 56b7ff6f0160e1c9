import path from 'node:path';
import { type LocalStackConfig, readLocalStackConfig } from '#platform/config';
import { applyMigrations } from '#platform/database';
import { seedDemoWorld } from '../../prisma/seed/seed.js';
import { type CommandContext, LocalStackError } from './command.js';
import { lockDataFolder } from './other-processes.js';
import { type DevelopmentOptions, nodeArgsFor } from './development.js';
import type { Lifetime } from './lifetime.js';
import { isPortFree, listenerOn } from './ports.js';
import type { PrivateServer } from './private-server.js';
import { addressesOf, programNames, programOf, sandboxOf, type StackParts } from './programs.js';
import { rememberedSecret } from './secrets.js';
import { makeFilesPrivate, makePassableFolder } from './server-account.js';
import { openStores, type Stores } from './stores.js';
import { type Program, Supervisor } from './supervisor.js';

/** A running stack. */
export interface LocalStack {
  readonly gatewayUrl: string;
  readonly sandboxUrl: string;
  /** As an absolute path. */
  readonly dataDir: string;
  readonly stores: Stores;
  /** The location of the token of the ops page. The token itself is not printed. */
  readonly opsTokenPlace: string;
  /** False if the given database contains other organisations. */
  readonly hasDemoWorld: boolean;
}

const OPS_TOKEN_FILE = 'ops-token';

/** The variable of each port. */
const PORT_VARIABLES: Record<keyof LocalStackConfig['ports'], string> = {
  gateway: 'PORT',
  sandbox: 'SANDBOX_PORT',
  presence: 'PRESENCE_PORT',
  sandboxApns: 'SANDBOX_APNS_PORT',
  sandboxFcm: 'SANDBOX_FCM_PORT',
  sandboxWeb: 'SANDBOX_WEB_PORT',
  presenceHealth: 'PRESENCE_HEALTH_PORT',
  pushHealth: 'PUSH_HEALTH_PORT',
};

/**
 * Starts the stores, the migrations, the demo organisation and the programs.
 * Resolves when all of them are ready; the lifetime stops them. A restart keeps all data.
 */
export async function startLocalStack(
  context: CommandContext,
  lifetime: Lifetime,
  development: DevelopmentOptions,
): Promise<LocalStack> {
  const { root, progress } = context;
  const config = readLocalStackConfig();
  const dataDir = path.resolve(root, config.dataDir);
  makeFilesPrivate();
  makePassableFolder(dataDir);
  lockDataFolder(dataDir, lifetime);
  await assertPortsAreFree(config);

  const secrets = secretsOf(config, dataDir);
  const supervisor = new Supervisor(root, programNames, progress);
  const start = (program: Program) => {
    const nodeArgs = [...program.nodeArgs, ...nodeArgsFor(program.name, development)];
    return progress.step(program.name, () => supervisor.start({ ...program, nodeArgs }));
  };

  const watch = (name: string, server: PrivateServer) => supervisor.watch(name, server);
  const state = prepareState(context, { config, dataDir, ...secrets }, lifetime, watch);
  // Deferred after the stores, so that the programs stop first.
  lifetime.defer(() => supervisor.stop());
  // The sandbox needs no stores, and writes the credentials of the worker.
  const [{ stores, hasDemoWorld }] = await Promise.all([
    state,
    start(sandboxOf({ config, dataDir })),
  ]);
  const parts = { config, dataDir, stores, ...secrets };
  const others = ['presence', 'push-worker', 'api-gateway'] as const;
  await Promise.all(others.map((name) => start(programOf(name, parts))));
  const { gateway: gatewayUrl, sandbox: sandboxUrl } = addressesOf(config);
  const opsTokenPlace =
    config.opsToken === undefined ? path.join(dataDir, OPS_TOKEN_FILE) : 'that of OPS_TOKEN';
  return { gatewayUrl, sandboxUrl, dataDir, stores, opsTokenPlace, hasDemoWorld };
}

/** Opens the stores, applies the migrations and creates the demo organisation if it is missing. */
async function prepareState(
  { root, progress }: CommandContext,
  { config, dataDir, apiKeySecret, pushKeySecret, opsToken }: Omit<StackParts, 'stores'>,
  lifetime: Lifetime,
  onStart: (name: string, server: PrivateServer) => void,
): Promise<{ stores: Stores; hasDemoWorld: boolean }> {
  const plan = { root, folder: dataDir, isThrowaway: false, given: config, progress, onStart };
  const stores = await openStores(plan, lifetime);
  await progress.step(
    'Database schema',
    () => applyMigrations(stores.databaseUrl, path.join(root, 'prisma/migrations')),
    (names) =>
      names.length > 0
        ? `Database schema: ${names.length} migrations applied`
        : 'Database schema is up to date',
  );
  const { gateway: baseUrl, sandbox: sandboxUrl } = addressesOf(config);
  const seeded = await progress.step('Demo organisation', () =>
    seedDemoWorld({
      ...stores,
      apiKeySecret,
      pushKeySecret,
      opsToken,
      baseUrl,
      sandboxUrl,
      dataDir,
    }),
  );
  return { stores, hasDemoWorld: seeded !== 'foreign' };
}

/** The secrets of the environment, or generated ones that are stored in the data folder. */
function secretsOf(config: LocalStackConfig, dataDir: string) {
  const remembered = (name: string, encoding: 'base64' | 'base64url') =>
    rememberedSecret(path.join(dataDir, name), encoding);
  const key = (name: string) => Buffer.from(remembered(name, 'base64'), 'base64');
  return {
    apiKeySecret: config.apiKeySecret ?? key('api-key-secret'),
    presenceSecret: config.presenceSecret ?? key('presence-secret'),
    pushKeySecret: config.pushKeySecret ?? key('push-key-secret'),
    opsToken: config.opsToken ?? remembered(OPS_TOKEN_FILE, 'base64url'),
  };
}

async function assertPortsAreFree({ ports }: LocalStackConfig): Promise<void> {
  const troubles: string[] = [];
  for (const [name, port] of Object.entries(ports)) {
    if (await isPortFree(port)) continue;
    // The keys of an object literal with exactly these keys.
    const variable = PORT_VARIABLES[name as keyof typeof ports];
    const listener = listenerOn(port);
    const who = listener === undefined ? '' : ` by ${listener}`;
    troubles.push(`Port ${port} is in use${who}; set ${variable} to another one.`);
  }
  if (troubles.length > 0) throw new LocalStackError(troubles.join('\n'));
}
