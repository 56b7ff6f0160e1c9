import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { lateModules } from '#platform/markdown';
import { sendRequest } from '#test/http-request';
import { loadPage } from '#test/page-files';
import { Phone } from '#test/phone';
import { startSystem, type System } from '#test/start-system';

const run = promisify(execFile);

/** The image may add 190 MB to its base. Here programs have stored code for the flags of tests, too. */
const LARGEST_MEGABYTES = 150;

/** Prints the packages that are loaded once a program has loaded all that it can name. */
const LOAD_ALL = `
  const { readFileSync } = require('node:fs');
  for (const name of JSON.parse(readFileSync(0, 'utf8'))) require(name);
  process.stdout.write(JSON.stringify(Object.keys(require.cache)));`;

/** Packages that a loaded one loads on demand: credentials and proxies for Amazon and Google, passwords of PostgreSQL. */
const ON_DEMAND = new Set([
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@aws-sdk/nested-clients',
  '@aws-sdk/token-providers',
  '@fastify/busboy',
  '@smithy/credential-provider-imds',
  'agent-base',
  'bowser',
  'buffer-equal-constant-time',
  'data-uri-to-buffer',
  'fetch-blob',
  'formdata-polyfill',
  'https-proxy-agent',
  'ipaddr.js',
  'node-domexception',
  'node-fetch',
  'pg-cloudflare',
  'pgpass',
  'punycode.js',
  'web-streams-polyfill',
]);

/** Packages whose files a gateway reads, and of which nothing loads a module. */
const READ = new Set(['@bull-board/ui', 'emojibase-data', 'swagger-ui-dist', 'uplot']);

const packageOf = (file: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? '';

describe('The files of the image', () => {
  let folder: string;
  let system: System;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carillon-image-'));
    await run(process.execPath, ['dist/deploy/docker/assemble-image.js', folder]);
    system = await startSystem({ root: folder });
  });
  afterAll(async () => {
    await system?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const filesOf = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));

  /** Runs a program of the folder on the stores of the system. */
  const runIn = (main: string, ...args: string[]) => {
    const { database_url: DATABASE_URL, redis_url: REDIS_URL } = system.demo.services;
    const env = childEnvironment({ DATABASE_URL, REDIS_URL, EXTERNAL_URL: system.gatewayUrl });
    return run(process.execPath, [main, ...args], { cwd: folder, env });
  };

  it('are all that the gateway needs for pages, emoji, code and formulas', async () => {
    const { url, token } = system.demo.ops;
    const authorization = `Bearer ${token}`;
    const docs = await sendRequest(`${system.gatewayUrl}/docs`);
    const assets = [...docs.text.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, asset]) => asset);
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets) {
      const { status } = await sendRequest(`${system.gatewayUrl}${asset}`);
      expect({ asset, status }).toEqual({ asset, status: 200 });
    }
    for (const [name, { status }] of await loadPage(url, { authorization })) {
      expect({ name, status }).toEqual({ name, status: 200 });
    }
    const headers = { authorization };
    const board = await sendRequest(`${system.gatewayUrl}/ops/queues`, { headers });
    const [style = ''] = /static\/[^"]+\.css/.exec(board.text) ?? [];
    const { status } = await sendRequest(`${system.gatewayUrl}/ops/queues/${style}`, { headers });
    expect({ style, status }).toEqual({ style: expect.stringContaining('css'), status: 200 });
    const content = '```haskell\nmain = print 1\n```\n$$x^2$$ :octopus: <b>bold</b>';
    const { body } = await system.api('alice').post('/messages/render', { content });
    expect(body['rendered']).toContain('katex');
    expect(body['rendered']).toContain('emoji-1f419');
  });

  it('are all that the other programs need', async () => {
    const phones = [Phone.android(), Phone.iphone()];
    for (const phone of phones) await phone.register(system.api('alice'));
    const { email } = system.user('alice');
    const cli = 'dist/apps/cli/src/main.js';
    const { stdout } = await runIn(cli, 'push', 'test', email, '--wait', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ notification: { states: { delivered: 2 } } });
    expect((await runIn(cli, 'doctor')).stdout).toContain('every migration of this release');
    const migrate = await runIn('dist/deploy/docker/migrate.js', '--check');
    expect(migrate.stdout).toContain('every migration of this release');
  });

  it('have the compiled code of every program', async () => {
    const bundles = (await filesOf()).filter((file) => file.startsWith('dist/bundles/'));
    const programs = bundles.filter((file) => file.endsWith('.js'));
    expect(programs).toHaveLength(6);
    for (const program of programs) {
      expect(bundles).toContainEqual(
        expect.stringMatching(`^${program.replace('.js', '')}\\.\\w+-\\d+\\.compiled$`),
      );
    }
  });

  it('have no program that keeps WebAssembly as a text in memory', async () => {
    const list = JSON.parse(await readFile('dist/bundles/bundles.json', 'utf8'));
    for (const program of Object.keys(list.programs)) {
      const bundle = await readFile(`dist/bundles/${program}.js`, 'utf8');
      expect(bundle).not.toMatch(/requireExternal\("[^"]*wasm-base64/);
    }
  });

  it('have no package that no program loads', async () => {
    const list = JSON.parse(await readFile('dist/bundles/bundles.json', 'utf8'));
    const child = execFile(process.execPath, ['--eval', LOAD_ALL], { cwd: folder });
    child.stdin?.end(JSON.stringify([...list.externalModules, ...lateModules]));
    let output = '';
    for await (const text of child.stdout ?? []) output += text;
    const loaded = new Set((JSON.parse(output) as string[]).map(packageOf));
    expect(loaded.size).toBeGreaterThan(100);
    const installed = (await filesOf()).filter((file) => /\.([cm]?js|node|json|css)$/.test(file));
    const packages = installed
      .filter((file) => file.includes('node_modules/') && !file.endsWith('/package.json'))
      .map(packageOf);
    const needless = packages.filter(
      (name) => ![loaded, ON_DEMAND, READ].some((names) => names.has(name)),
    );
    expect([...new Set(needless)]).toEqual([]);
  });

  it('keep the licence of each package in the bundles', async () => {
    const list = JSON.parse(await readFile('dist/bundles/bundles.json', 'utf8'));
    const files = new Set(await filesOf());
    for (const name of list.packages) expect(files).toContain(`${name}/package.json`);
    expect(files).toContain('node_modules/fastify/LICENSE');
  });

  it('are small', async () => {
    const stats = await Promise.all((await filesOf()).map((file) => stat(path.join(folder, file))));
    const bytes = stats.reduce((sum, { size }) => sum + size, 0);
    expect(bytes / 1e6).toBeLessThan(LARGEST_MEGABYTES);
  });
});
