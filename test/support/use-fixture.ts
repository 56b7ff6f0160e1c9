import { afterAll, beforeAll } from '@jest/globals';
import type { Template } from './database-templates.js';
import { createTestDatabase, type TestDatabase } from './test-stores.js';

interface Fixture {
  stop(): Promise<void>;
}

/**
 * Starts something before the tests of a file and stops it after them. Returns an object with its members, which only hooks
 * and tests may use.
 */
export const useFixture = <Started extends Fixture>(start: () => Promise<Started>): Started =>
  useStarted(start, (started) => started.stop());

/** The same for what is stopped in another way. */
export function useStarted<Started extends object>(
  start: () => Promise<Started>,
  stop: (started: Started) => Promise<void>,
): Started {
  let started: Started | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    if (started !== undefined) await stop(started);
  });
  // The proxy has no members of its own.
  return new Proxy({} as Started, {
    get(_, name) {
      if (started === undefined) throw new Error(`Use "${String(name)}" in a hook or a test.`);
      const value: unknown = Reflect.get(started, name, started);
      return typeof value === 'function' ? value.bind(started) : value;
    },
  });
}

/** The database of a test file; see `createTestDatabase`. */
export const useDatabase = (template?: Template): TestDatabase =>
  useStarted(
    () => createTestDatabase(template),
    (database) => database.drop(),
  );
