import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import {
  readApiGatewayConfig,
  readCliConfig,
  readLocalStackConfig,
  readMigrateConfig,
  readPresenceConfig,
  readPushSandboxConfig,
  readPushWorkerConfig,
  readTestStoresConfig,
  unknownVariables,
} from './index.js';

type Reader = (environment: Record<string, string | undefined>) => unknown;

const operatorsPrograms: readonly (readonly [string, Reader])[] = [
  ['api-gateway', readApiGatewayConfig],
  ['presence', readPresenceConfig],
  ['push-worker', readPushWorkerConfig],
  ['push-sandbox', readPushSandboxConfig],
  ['the migration step', readMigrateConfig],
  ['the command line', readCliConfig],
  ['the local stack', readLocalStackConfig],
];

/** The names that a program looks up in its environment, in ascending order. */
function variablesOf(read: Reader): string[] {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  try {
    read(environment);
  } catch {
    // Something required is missing, which is known by then and does not matter here.
  }
  return [...names].toSorted();
}

const everyVariable = [...operatorsPrograms.map(([, read]) => read), readTestStoresConfig].flatMap(
  variablesOf,
);

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The names in the first column of the tables. */
const namesInTables = (markdown: string) =>
  [...markdown.matchAll(/^\| `([A-Z][A-Z0-9_]*)`/gm)].map(([, name]) => name ?? '');

/** The names that are set, or shown to be settable behind a `#`. */
const namesInDotenv = (text: string) =>
  [...text.matchAll(/^#? ?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name ?? '');

/** The names that compose puts into docker-compose.yml itself. */
const namesInCompose = (text: string) =>
  [...text.matchAll(/\$\{([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name ?? '');

describe('docs/configuration.md', () => {
  const documented = namesInTables(textOf('docs/configuration.md'));

  it.each(operatorsPrograms)('has a row for each variable of %s', (_, read) => {
    expect(documented).toEqual(expect.arrayContaining(variablesOf(read)));
  });

  it('has a row for each variable of a test run', () => {
    expect(documented).toEqual(expect.arrayContaining(variablesOf(readTestStoresConfig)));
  });

  it('has a row for no variable that nothing reads', () => {
    const known = new Set([...everyVariable, ...namesInCompose(textOf('docker-compose.yml'))]);
    expect(documented.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('reads no variable that a program would call unknown', () => {
    const names = namesInCompose(textOf('docker-compose.yml'));
    const environment = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(unknownVariables(environment)).toEqual([]);
  });
});

describe('.env.example', () => {
  const shown = namesInDotenv(textOf('.env.example'));

  it.each(operatorsPrograms)('shows each variable of %s', (_, read) => {
    expect(shown).toEqual(expect.arrayContaining(variablesOf(read)));
  });

  it('shows no variable that docs/configuration.md does not explain', () => {
    const documented = new Set(namesInTables(textOf('docs/configuration.md')));
    expect(shown.filter((name) => !documented.has(name))).toEqual([]);
  });
});
