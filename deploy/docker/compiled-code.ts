import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { readLocalStackConfig } from '#platform/config';
import { OwnProcess } from '../local/own-process.js';
import { programNames, programOf, type StackParts } from '../local/programs.js';
import { waitUntil } from '../local/wait-until.js';

/** Under emulation, or on a busy machine, a start takes minutes. */
const DEADLINE_MS = 1_200_000;
const STOP_GRACE_MS = 10_000;
/** Nothing listens there. Programs start without their stores. */
const CLOSED = '127.0.0.1:9';
const PORTS = [
  'PORT',
  'SANDBOX_PORT',
  'PRESENCE_PORT',
  'SANDBOX_APNS_PORT',
  'SANDBOX_FCM_PORT',
  'SANDBOX_WEB_PORT',
  'PRESENCE_HEALTH_PORT',
  'PUSH_HEALTH_PORT',
];

/**
 * Starts each program of an assembled image once, without stores, until it has stored its compiled code: the file system of
 * a container is read-only. Yields a line for each. `mainModules` has that of each program; they write into `dataDir`, which is
 * empty.
 */
export async function* storeCompiledCode(
  root: string,
  mainModules: Readonly<Record<string, string>>,
  dataDir: string,
): AsyncGenerator<string> {
  const parts = await partsIn(dataDir);
  const programs = new Map(Object.entries(mainModules));
  // In this order: a push worker reads the credentials that the sandbox has written.
  for (const name of programNames) {
    const { nodeArgs, environment } = programOf(name, parts);
    yield await store(root, name, [...nodeArgs, programs.get(name) ?? ''], environment);
    programs.delete(name);
  }
  for (const [name, main] of programs) yield await store(root, name, [main, '--help'], {});
}

async function store(
  root: string,
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const program = new OwnProcess({
    command: process.execPath,
    args,
    cwd: root,
    // Nothing of the build's own environment.
    env: { NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
  });
  let log = '';
  for (const stream of [program.child.stdout, program.child.stderr]) {
    stream?.on('data', (text: Buffer) => {
      log += text.toString();
    });
  }
  const bundles = path.join(root, 'dist/bundles');
  const stored = () =>
    readdirSync(bundles).find((file) => file.startsWith(`${name}.`) && file.endsWith('.compiled'));
  await waitUntil(name, async () => stored() !== undefined || !program.isRunning, DEADLINE_MS);
  await program.stop();
  const file = stored();
  if (file === undefined) throw new Error(`${name} has stored no compiled code:\n${log}`);
  // Its programs write files for their own account only.
  chmodSync(path.join(bundles, file), 0o644);
  const megabytes = (statSync(path.join(bundles, file)).size / 1e6).toFixed(1);
  return `Compiled ${name}: ${megabytes} MB`;
}

const secret = () => randomBytes(32);

async function partsIn(dataDir: string): Promise<StackParts> {
  const ports = await freePorts();
  return {
    config: readLocalStackConfig({ DATA_DIR: dataDir, ...ports }),
    dataDir,
    stores: { databaseUrl: `postgresql://${CLOSED}/none`, redisUrl: `redis://${CLOSED}` },
    apiKeySecret: secret(),
    presenceSecret: secret(),
    pushKeySecret: secret(),
    opsToken: secret().toString('hex'),
  };
}

/** As variables. All are open at the same time, so that they differ. */
async function freePorts(): Promise<Record<string, string>> {
  const servers = PORTS.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server, index) => [PORTS[index], String(portOf(server))]);
  for (const server of servers) server.close();
  return Object.fromEntries(ports) as Record<string, string>;
}

// A server that listens on a port has an address of this kind.
const portOf = (server: Server) => (server.address() as AddressInfo).port;
