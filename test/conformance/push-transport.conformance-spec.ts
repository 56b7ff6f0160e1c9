import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isLongRun } from '#test/chaos-run';
import { useFixture } from '#test/use-fixture';
import { startSandbox } from './push-sandbox.fixture.js';
import { basicRows, cases, longRows, type Row } from './push-transport.cases.js';
import { type Driver, type DriverName, drivers } from './push-transport.drivers.js';
import { type Exception, exceptions } from './push-transport.exceptions.js';
import { TransportWorld } from './push-transport.world.js';

// `cases` is an object literal, so its type lists exactly its keys.
const rows = Object.keys(cases) as Row[];

const verdictOf = (driver: DriverName, row: Row): 'passes' | Exception =>
  exceptions[driver][row] ?? 'passes';

/** A short run has the quick cases for our drivers; a long run has all cases for all drivers. */
const isAsked = ({ isOfLibrary }: Driver, row: Row): boolean =>
  isLongRun || (isOfLibrary ? basicRows.has(row) : !longRows.has(row));

const sandbox = useFixture(() => startSandbox());

describe.each(drivers)('$name', (driver) => {
  const rowsThat = (verdict: 'passes' | 'no') =>
    rows.filter((row) => isAsked(driver, row) && verdictOf(driver.name, row) === verdict);
  let world: TransportWorld;

  beforeEach(() => {
    world = new TransportWorld(driver, sandbox);
  });

  afterEach(() => world.end());

  it.each(rowsThat('passes'))('%s', async (row) => {
    await expect(cases[row](world)).resolves.toBeUndefined();
  });

  if (rowsThat('no').length === 0) return;

  it.each(rowsThat('no'))('is known to fail: %s', async (row) => {
    // The driver must fail an expectation, not throw another error.
    await expect(cases[row](world)).rejects.toHaveProperty('matcherResult');
  });
});

describe('docs/transports.md', () => {
  it('shows which driver passes which row', () => {
    const page = readFileSync(new URL('../../docs/transports.md', import.meta.url), 'utf8');
    const lines = page.split('\n').filter((line) => line.startsWith('| '));
    const shown = lines.map((line) => line.split('|').slice(1, -1));
    const table = shown.map((cells) => cells.map((cell) => cell.trim()));
    const words = { passes: 'yes', no: 'no', slow: 'no', 'does not apply': '–' };
    const expected = rows.map((row) => [
      row,
      ...drivers.map(({ name }) => words[verdictOf(name, row)]),
    ]);
    const from = table.findIndex(([title]) => title === rows[0]);
    expect(table.slice(from, from + rows.length)).toEqual(expected);
    expect(table[from - 2]?.slice(1)).toEqual(drivers.map(({ name }) => `\`${name}\``));
  });
});
