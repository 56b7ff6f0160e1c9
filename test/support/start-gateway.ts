import { readTestStoresConfig } from '#platform/config';
import { DemoGuard } from './demo-guard.js';
import { closeIdleConnections, sendRequest } from './http-request.js';
import type { Environment } from './program-process.js';
import { gatewayOptions, sharedGatewaysUrl } from './shared-gateways.js';
import { startSystem, System, type SystemDescription, type SystemOptions } from './start-system.js';
import { addStatementCount } from './statement-counts.js';
import { openTestDatabase, type TestDatabase } from './test-stores.js';
import { type Given, givenBy, useFixture } from './use-fixture.js';

/** The first file of a worker waits until its gateway has started. */
const START_DEADLINE_MS = 100_000;

/**
 * Starts only the gateway, on the demo organisation, for tests of responses and effects of endpoints; presence and the
 * push worker do not run. The caller must `stop` it. Without settings it is the shared gateway of the Jest worker: a
 * file that changes data adds an organisation, and `stop` rejects if the demo organisation has changed. With settings,
 * also with `{}`, it is a separate gateway with a new demo organisation.
 */
export async function startGateway(
  settings?: Environment,
  options: Pick<SystemOptions, 'isOptimised'> = {},
): Promise<System> {
  return settings === undefined
    ? attachToShared()
    : startOwn({ ...gatewayOptions(settings), ...options });
}

/** The same for all tests of a file or of a `describe`, which stops it too. */
export const useGateway = (
  settings?: Given<Environment>,
  options: Pick<SystemOptions, 'isOptimised'> = {},
): System =>
  useFixture(async () =>
    startGateway(settings === undefined ? undefined : await givenBy(settings), options),
  );

/**
 * The connections to the shared gateway's database, which the files of a worker share with what they have prepared. The state
 * that one file leaves is the one that the next file must leave.
 */
interface SharedDatabase {
  readonly connections: TestDatabase;
  readonly guard: DemoGuard;
}

let shared: SharedDatabase | undefined;

async function connectToShared(url: string): Promise<SharedDatabase> {
  if (shared?.connections.url === url) return shared;
  await shared?.connections.drop();
  const connections = openTestDatabase(url, { exitsWhenIdle: true });
  shared = { connections, guard: await DemoGuard.start(connections.database) };
  return shared;
}

async function attachToShared(): Promise<System> {
  const { workerId } = readTestStoresConfig();
  closeIdleConnections();
  // The main process of Jest answers with the result of `describe`.
  const description = (await ask(`/gateways/${workerId}`)) as SystemDescription;
  const { connections, guard } = await connectToShared(description.parts.stores.databaseUrl);
  const system = System.attach(description, connections);
  system.beforeStop(() => guard.check());
  system.beforeStop(countedBy(async () => Number(await ask(`/statements/${workerId}`))));
  return system;
}

async function startOwn(options: SystemOptions): Promise<System> {
  const system = await startSystem(options);
  system.beforeStop(countedBy(() => system.probe('api-gateway', 'count')));
  return system;
}

function countedBy(count: () => Promise<number>): () => Promise<void> {
  const forget = addStatementCount(count);
  return () => Promise.resolve(forget());
}

async function ask(path: string): Promise<unknown> {
  const url = `${sharedGatewaysUrl()}${path}`;
  // The next question may come after the server has closed an idle connection.
  const headers = { connection: 'close' };
  const { status, text } = await sendRequest(url, { headers, deadlineMs: START_DEADLINE_MS });
  if (status !== 200) throw new Error(`There is no shared gateway: ${text}`);
  return JSON.parse(text);
}
