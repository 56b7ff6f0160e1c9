import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from '@jest/globals';
import { type RunningSandbox, startSandbox } from './push-sandbox.fixture.js';
import { cases, type Row } from './push-transport.cases.js';
import { drivers } from './push-transport.drivers.js';
import { TransportWorld } from './push-transport.world.js';

const CASE_TIMEOUT_MS = 30_000;

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
}, 20_000);

afterAll(() => sandbox?.stop());

describe.each(drivers)('$name', (driver) => {
  let world: TransportWorld;

  beforeEach(() => {
    world = new TransportWorld(driver, sandbox);
  });

  afterEach(() => world.end(), CASE_TIMEOUT_MS);

  for (const row of Object.keys(cases) as Row[]) {
    const exception = driver.exceptions[row];
    const run = () => cases[row](world);
    if (exception === undefined) it(row, run, CASE_TIMEOUT_MS);
    else if (exception === 'no') it.failing(row, run, CASE_TIMEOUT_MS);
    else it.skip(row, run);
  }
});
