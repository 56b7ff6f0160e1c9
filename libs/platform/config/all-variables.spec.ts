import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { unknownVariables } from './all-variables.js';
import { readApiGatewayConfig } from './api-gateway.config.js';
import {
  readContainersTestConfig,
  readLocalStackConfig,
  readPushSandboxConfig,
  readTestStoresConfig,
} from './local-stack.config.js';
import { readPresenceConfig } from './presence.config.js';
import { readPushWorkerConfig } from './push-worker.config.js';
import { readCliConfig, readMigrateConfig } from './tools.config.js';

type Reader = (environment: Record<string, string | undefined>) => unknown;

const programs: readonly (readonly [string, Reader])[] = [
  ['api-gateway', readApiGatewayConfig],
  ['presence', readPresenceConfig],
  ['push-worker', readPushWorkerConfig],
  ['push-sandbox', readPushSandboxConfig],
  ['the migration step', readMigrateConfig],
  ['the command line', readCliConfig],
  ['the local stack', readLocalStackConfig],
];

/** The names of the variables that a program reads, in ascending order. */
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
    // Required variables are missing; every name has been read by then.
  }
  return [...names].toSorted();
}

const testReaders = [readTestStoresConfig, readContainersTestConfig];

const everyVariable = [...programs.map(([, read]) => read), ...testReaders].flatMap(variablesOf);

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The names at the start of the rows of tables and of the items of lists. */
const namesInTables = (markdown: string) =>
  [...markdown.matchAll(/^(?:\||-) `([A-Z][A-Z0-9_]*|https_proxy|no_proxy)`/gm)].map(
    ([, name]) => name ?? '',
  );

/** The names of assignments, with or without a `#` before them. */
const namesInDotenv = (text: string) =>
  [...text.matchAll(/^#? ?([A-Z][A-Z0-9_]*|https_proxy|no_proxy)=/gm)].map(
    ([, name]) => name ?? '',
  );

/** The defaults in the rows of tables that are a value and not a text or a rule. */
const valuesInTables = (markdown: string) =>
  new Map(
    [...markdown.matchAll(/^\| `(\w+)` +\|[^|]*\| `([^`A-Z]+)` +\|/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );

/** The values of assignments behind a `#`. */
const valuesBehindSigns = (text: string) =>
  [...text.matchAll(/^# (\w+)=(.*)$/gm)].map(
    ([, name = '', value = '']): readonly [string, string] => [name, value],
  );

/** The names that docker-compose.yml substitutes. */
const namesInCompose = (text: string) =>
  [...text.matchAll(/\$\{([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name ?? '');

describe('docs/configuration.md', () => {
  const documented = namesInTables(textOf('docs/configuration.md'));

  it.each(programs)('has a row for each variable of %s', (_, read) => {
    expect(documented).toEqual(expect.arrayContaining(variablesOf(read)));
  });

  it('has a row for each variable of a test run', () => {
    expect(documented).toEqual(expect.arrayContaining(testReaders.flatMap(variablesOf)));
  });

  it('has no row for a variable that nothing reads', () => {
    const known = new Set([...everyVariable, ...namesInCompose(textOf('docker-compose.yml'))]);
    expect(documented.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('reads no variable that programs report as unknown', () => {
    const names = namesInCompose(textOf('docker-compose.yml'));
    const environment = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(unknownVariables(environment)).toEqual([]);
  });
});

describe('.env.example', () => {
  const shown = namesInDotenv(textOf('.env.example'));

  it.each(programs)('shows each variable of %s', (_, read) => {
    expect(shown).toEqual(expect.arrayContaining(variablesOf(read)));
  });

  it('shows the defaults of docs/configuration.md, but for those that docker-compose.yml sets', () => {
    const byCompose = new Set(namesInCompose(textOf('docker-compose.yml')));
    const defaults = valuesInTables(textOf('docs/configuration.md'));
    const different = valuesBehindSigns(textOf('.env.example')).filter(
      ([name, value]) => !byCompose.has(name) && (defaults.get(name) ?? value) !== value,
    );
    expect(defaults.size).toBeGreaterThan(50);
    expect(different).toEqual([]);
  });

  it('shows only variables of docs/configuration.md', () => {
    const documented = new Set(namesInTables(textOf('docs/configuration.md')));
    expect(shown.filter((name) => !documented.has(name))).toEqual([]);
  });
});

describe(unknownVariables.name, () => {
  it('reports names that start like one of our variables', () => {
    expect(
      unknownVariables({ SIGN_IN_CACHE_SECNDS: '5', PUSH_CONCURENCY: '9', APNS_KEYFILE: 'secret' }),
    ).toEqual(['APNS_KEYFILE', 'PUSH_CONCURENCY', 'SIGN_IN_CACHE_SECNDS']);
  });

  it.each([
    [
      'variables of other programs of ours',
      { PUSH_CONCURRENCY: '9', SANDBOX_PORT: '1', PORT: '80' },
    ],
    ['empty variables', { PUSH_CONCURENCY: '' }],
    [
      'names with other first words',
      { PATH: '/bin', NODE_OPTIONS: '--enable-source-maps', TERM: 'xterm' },
    ],
    ['the proxy of other software', { HTTP_PROXY: 'http://proxy.test:3128' }],
    ['variables of OpenTelemetry', { OTEL_RESOURCE_ATTRIBUTES: 'a=b' }],
    [
      'the service variables of Kubernetes',
      {
        PRESENCE_SERVICE_HOST: '10.0.0.1',
        PRESENCE_SERVICE_PORT_RPC: '9993',
        REDIS_PORT: 'tcp://10.0.0.2:6379',
        REDIS_PORT_6379_TCP_ADDR: '10.0.0.2',
      },
    ],
  ])('ignores %s', (_, environment) => {
    expect(unknownVariables(environment)).toEqual([]);
  });
});
