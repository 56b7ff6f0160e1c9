import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePorts } from '#test/free-ports';
import { startSystem, type System } from '#test/start-system';
import { answersIn, Comparison, type Example, examplesOf } from './documented-examples.fixture.js';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Each answer is in a line of its own. `jq` may be missing. */
const TOOLS = String.raw`
set -euo pipefail
curl() { command curl --silent --show-error --write-out '\n' "$@"; }
jq() { cat; }
`;

const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const readExamples = async (page: string) => examplesOf(page, await readFile(page, 'utf8'));
const examples = await readExamples('docs/api.md');
const others = ['getting-started', 'observability', 'ops-page', 'runbook'];
const otherExamples = await Promise.all(others.map((name) => readExamples(`docs/${name}.md`)));

(hasCurl ? describe : describe.skip)('documented examples', () => {
  const comparison = new Comparison();
  let system: System;
  let folder: string;
  let variables: Record<string, string>;

  beforeAll(async () => {
    const [metricsPort = 0] = await freePorts(1);
    system = await startSystem({
      environment: { GATEWAY_METRICS_PORT: String(metricsPort) },
    });
    folder = await mkdtemp(path.join(tmpdir(), 'carillon-examples-'));
    await writeFile(path.join(folder, 'plan.txt'), 'Monday\n');
    await writeFile(path.join(folder, 'party.png'), PICTURE, 'base64');
    const credentials = (name: string) => {
      const { email, api_key } = system.user(name);
      return `${email}:${api_key}`;
    };
    const { PRESENCE_HEALTH_PORT = '' } = system.environmentOf('presence');
    const { PUSH_HEALTH_PORT = '' } = system.environmentOf('push-worker');
    for (const [documented, actual] of [
      ['http://127.0.0.1:9991', system.gatewayUrl],
      ['https://chat.example.org', system.gatewayUrl],
      ['127.0.0.1:9996', `127.0.0.1:${metricsPort}`],
      ['127.0.0.1:9997', `127.0.0.1:${PRESENCE_HEALTH_PORT}`],
      ['127.0.0.1:9998', `127.0.0.1:${PUSH_HEALTH_PORT}`],
      ['<email>:<api_key>', credentials('bob')],
    ] as const) {
      comparison.replace(documented, actual);
    }
    variables = {
      API: `${system.gatewayUrl}/api/v1`,
      ALICE: credentials('alice'),
      BOB: credentials('bob'),
      ADMIN: credentials('admin'),
      OWNER: credentials('owner'),
      OPS_TOKEN: system.demo.ops.token,
    };
  });
  afterAll(async () => {
    await system.stop();
    await rm(folder, { recursive: true });
  });

  /** Runs the script of an example; resolves with its output. */
  const run = async ({ script }: Example): Promise<string> => {
    const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
    const commands = [...assignments, TOOLS, comparison.ofThisRun(script)].join('\n');
    return (await promisify(execFile)('bash', ['-c', commands], { cwd: folder })).stdout;
  };

  // The ids on the page are those of a new demo organisation, to which its examples are sent in order.
  it.each(examples)('$title', async (example) => {
    const output = await run(example);
    expect(comparison.differences(example.answer, output)).toEqual([]);
    // Some examples return or replace the key of Alice.
    const key = answersIn(output).at(-1)?.['api_key'];
    if (key !== undefined) variables['ALICE'] = `${system.user('alice').email}:${String(key)}`;
  });

  it.each(otherExamples.flat())('$title', async (example) => {
    const output = await run(example);
    expect(output.trim()).not.toBe('');
    expect(output).not.toMatch(/"error"/);
  });
});
