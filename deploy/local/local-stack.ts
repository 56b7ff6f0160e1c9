import path from 'node:path';
import { type LocalStackConfig, readLocalStackConfig } from '#config';
import { applyMigrations } from '#database';
import { seedDemoWorld } from '../../prisma/seed/seed.js';
import { type CommandContext, LocalStackError } from './command.js';
import { lockDataFolder } from './data-lock.js';
import type { Lifetime } from './lifetime.js';
import { isPortFree, listenerOn } from './ports.js';
import { addressesOf, programNames, programOf } from './programs.js';
import { rememberedSecret } from './secrets.js';
import { makePassableFolder } from './server-account.js';
import { openStores, type Stores } from './stores.js';
import { Supervisor } from './supervisor.js';

/** A stack that runs: where it is and where it keeps what it knows. */
export interface LocalStack {
  readonly gatewayUrl: string;
  readonly sandboxUrl: string;
  /** As an absolute path. */
  readonly dataDir: string;
  readonly stores: Stores;
  /** No, when the given database holds an organisation of somebody else's. */
  readonly hasDemoWorld: boolean;
}

/** Which variable moves which port. */
const PORT_VARIABLES: Record<keyof LocalStackConfig['ports'], string> = {
  gateway: 'PORT',
  sandbox: 'SANDBOX_PORT',
  presence: 'PRESENCE_PORT',
  sandboxApns: 'SANDBOX_APNS_PORT',
  sandboxFcm: 'SANDBOX_FCM_PORT',
  presenceHealth: 'PRESENCE_HEALTH_PORT',
  pushHealth: 'PUSH_HEALTH_PORT',
};

/**
 * Starts everything on this machine: the stores, the schema, the demo organisation and the programs.
 * Resolves when all of them serve; the lifetime stops them. A second start keeps all data.
 */
export async function startLocalStack(
  { root, progress }: CommandContext,
  lifetime: Lifetime,
): Promise<LocalStack> {
  const config = readLocalStackConfig();
  const dataDir = path.resolve(root, config.dataDir);
  makePassableFolder(dataDir);
  lockDataFolder(dataDir, lifetime);
  await assertPortsAreFree(config);

  const plan = { root, folder: dataDir, isThrowaway: false, given: config, progress };
  const stores = await openStores(plan, lifetime);
  await progress.step(
    'Database schema',
    () => applyMigrations(stores.databaseUrl, path.join(root, 'prisma/migrations')),
    (names) =>
      names.length > 0
        ? `Database schema: ${names.length} migrations applied`
        : 'Database schema is up to date',
  );

  const secrets = secretsOf(config, dataDir);
  const { gateway: gatewayUrl, sandbox: sandboxUrl } = addressesOf(config);
  const seeded = await progress.step('Demo organisation', () =>
    seedDemoWorld({ ...stores, ...secrets, baseUrl: gatewayUrl, sandboxUrl, dataDir }),
  );

  const supervisor = new Supervisor(root, programNames, progress);
  lifetime.defer(() => supervisor.stop());
  const parts = { config, dataDir, stores, ...secrets };
  const start = (name: (typeof programNames)[number]) =>
    progress.step(name, () => supervisor.start(programOf(name, parts)));
  // The sandbox writes the credentials that the worker needs.
  await start('push-sandbox');
  await Promise.all([start('presence'), start('push-worker'), start('api-gateway')]);
  return { gatewayUrl, sandboxUrl, dataDir, stores, hasDemoWorld: seeded !== 'foreign' };
}

/** The secrets of this stack: those of the environment, else our own, made once. */
function secretsOf(config: LocalStackConfig, dataDir: string) {
  const remembered = (name: string, encoding: 'base64' | 'base64url') =>
    rememberedSecret(path.join(dataDir, name), encoding);
  return {
    apiKeySecret:
      config.apiKeySecret ?? Buffer.from(remembered('api-key-secret', 'base64'), 'base64'),
    opsToken: config.opsToken ?? remembered('ops-token', 'base64url'),
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
