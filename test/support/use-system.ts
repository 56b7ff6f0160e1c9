import { startSystem, type System, type SystemOptions } from './start-system.js';
import { type Given, givenBy, useFixture } from './use-fixture.js';

/** The same as `startSystem` for all tests of a file or of a `describe`, which stops it too. */
export const useSystem = (options: Given<SystemOptions> = {}): System =>
  useFixture(async () => startSystem(await givenBy(options)));
