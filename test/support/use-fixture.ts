import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Database } from '#platform/database';
import type { Template } from './database-templates.js';
import { createTestDatabase, type TestDatabase } from './test-stores.js';

/** What a fixture takes, or what gives it once the fixtures above it have started. */
export type Given<Options> = Options | (() => Options | Promise<Options>);

export const givenBy = async <Options>(given: Given<Options>): Promise<Options> =>
  // Options are plain objects.
  typeof given === 'function' ? await (given as () => Options | Promise<Options>)() : given;

interface Ending {
  stop?(): Promise<void>;
  remove?(): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Starts something before the tests of a file, and stops it after them if it has a method for that. Returns an object with
 * its members, which only hooks and tests may use.
 */
export const useFixture = <Started extends object>(start: () => Promise<Started>): Started =>
  useStarted(
    start,
    async (started: Ending) => started.stop?.() ?? started.remove?.() ?? started.close?.(),
  );

/** How to stop what has started, the latest last: a fixture may use those above it until its end. */
const stops: (() => Promise<void>)[] = [];

/** The same for what is stopped in another way. */
export function useStarted<Started extends object>(
  start: () => Promise<Started>,
  stop: (started: Started) => Promise<void>,
): Started {
  let started: Started | undefined;
  beforeAll(async () => {
    // Also of a start that fails: `afterAll` takes one from the list for each fixture.
    stops.push(async () => {
      if (started !== undefined) await stop(started);
    });
    started = await start();
  });
  afterAll(async () => stops.pop()?.());
  const running = (name: string | symbol): Started => {
    if (started === undefined) throw new Error(`Use "${String(name)}" in a hook or a test.`);
    return started;
  };
  // The proxy has no members of its own.
  return new Proxy({} as Started, {
    get(_, name) {
      const value: unknown = Reflect.get(running(name), name, started);
      return typeof value === 'function' ? value.bind(started) : value;
    },
    set: (_, name, value) => Reflect.set(running(name), name, value, started),
    // These two allow the spread of it.
    ownKeys: () => Reflect.ownKeys(running('...')),
    getOwnPropertyDescriptor: (_, name) => ({
      ...Reflect.getOwnPropertyDescriptor(running(name), name),
      configurable: true,
    }),
  });
}

/** The database of a test file; see `createTestDatabase`. */
export const useDatabase = (template?: Template): TestDatabase =>
  useStarted(
    () => createTestDatabase(template),
    (database) => database.drop(),
  );

/** Other connections to the database of a test file, by default one. */
export const useConnection = (
  stores: TestDatabase,
  options: Partial<ConstructorParameters<typeof Database>[0]> = {},
): Database =>
  useStarted(
    async () => new Database({ url: stores.url, poolSize: 1, ...options }),
    (database) => database.onApplicationShutdown(),
  );

/** A temporary folder of a test file. */
export const useFolder = (): { readonly path: string } =>
  useStarted(
    async () => ({ path: await mkdtemp(path.join(tmpdir(), 'carillon-test-')) }),
    (folder) => rm(folder.path, { recursive: true, force: true }),
  );
