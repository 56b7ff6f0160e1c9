import { readTestStoresConfig } from '#config';
import { DemoGuard } from './demo-guard.js';
import { sendRequest } from './http-request.js';
import type { Environment } from './program-process.js';
import { gatewayOptions, sharedGatewaysUrl } from './shared-gateways.js';
import { addStatementCount } from './statement-counts.js';
import { startSystem, System, type SystemDescription } from './start-system.js';

/**
 * The gateway alone, on the demo world, for what endpoints answer and leave behind; presence and the
 * worker are not running. `stop` it when done.
 *
 * Without settings it is one that the files of a Jest worker share. A file that changes things there adds
 * an organisation of its own; `stop` rejects when the demo organisation is not as it was. With settings,
 * or with `{}`, it is a gateway of the file's own with a fresh demo organisation.
 */
export async function startGateway(settings?: Environment): Promise<System> {
  return settings === undefined ? attachToShared() : startOwn(settings);
}

async function attachToShared(): Promise<System> {
  const { workerId } = readTestStoresConfig();
  // The process that runs Jest answers with what `describe` gives.
  const description = (await ask(`/gateways/${workerId}`)) as SystemDescription;
  const system = System.attach(description);
  const guard = await DemoGuard.start(system.database.database);
  system.beforeStop(() => guard.check());
  system.beforeStop(countedBy(async () => Number(await ask(`/statements/${workerId}`))));
  return system;
}

async function startOwn(settings: Environment): Promise<System> {
  const system = await startSystem(gatewayOptions(settings));
  system.beforeStop(countedBy(() => system.probe('api-gateway', 'count')));
  return system;
}

function countedBy(count: () => Promise<number>): () => Promise<void> {
  const forget = addStatementCount(count);
  return () => Promise.resolve(forget());
}

async function ask(path: string): Promise<unknown> {
  const { status, text } = await sendRequest(`${sharedGatewaysUrl()}${path}`);
  if (status !== 200) throw new Error(`There is no shared gateway: ${text}`);
  return JSON.parse(text);
}
