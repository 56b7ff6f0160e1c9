import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { lateModules } from '#platform/markdown';
import { eventually } from '#test/eventually';
import { builtImage, docker, hasEngine, runShell, showProgress } from './engine.js';

jest.setTimeout(1_200_000);

const START_MS = 300_000;
const MOST_ADDED_BYTES = 190_000_000;
const RECORDER = fileURLToPath(new URL('recorder.mjs', import.meta.url));
const NAME = `carillon-image-${process.pid}`;

/** Nothing listens there. Programs start without their stores. */
const CLOSED = '127.0.0.1:9';
const secret = randomBytes(32).toString('base64');
const environment = {
  DATABASE_URL: `postgresql://${CLOSED}/none`,
  REDIS_URL: `redis://${CLOSED}`,
  API_KEY_SECRET: secret,
  PRESENCE_SECRET: secret,
  PUSH_KEY_SECRET: secret,
  PRESENCE_ADDRESSES: CLOSED,
  PUSH_QUEUES: 'control',
  DATA_DIR: '/tmp',
  UPLOADS_DIR: '/tmp',
};
const variables = Object.entries(environment).flatMap(([name, value]) => [
  '--env',
  `${name}=${value}`,
]);

const LASTING = ['api-gateway', 'presence', 'push-worker', 'push-sandbox'].map(
  (name) => `dist/apps/${name}/src/main.js`,
);
const COMMANDS = [
  ['dist/apps/cli/src/main.js', '--help'],
  ['dist/deploy/docker/migrate.js', '--check'],
] as const;

/** What programs load when they need it first. */
const LATE = [
  ...lateModules,
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@parse/node-apn',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  '@zxcvbn-ts/language-en',
  'firebase-admin/app',
  'firebase-admin/messaging',
  'libsodium-wrappers',
  'pino-pretty',
];

/** Packages whose modules the others load in cases that this test does not make, by the reason. */
const IN_OTHER_CASES: Readonly<Record<string, readonly RegExp[]>> = {
  'browsers load them': [/^@bull-board\/ui$/, /^swagger-ui-dist$/, /^uplot$/],
  'a bucket whose key is in none of our variables': [
    /^@aws-sdk\/(credential-provider-|nested-clients$|token-providers$)/,
    /^@smithy\/credential-provider-imds$/,
  ],
  'requests to the services of Amazon and Google': [
    /^(.*\/)?node-fetch$/,
    /^(agent-base|bowser|data-uri-to-buffer|fetch-blob|formdata-polyfill|https-proxy-agent)$/,
    /^(@fastify\/busboy|node-domexception|web-streams-polyfill|buffer-equal-constant-time)$/,
  ],
  'an address of PostgreSQL without a password, or a server of Cloudflare': [
    /^pgpass$/,
    /^pg-cloudflare$/,
  ],
};

const image = hasEngine() ? builtImage() : undefined;
if (image === undefined) process.stderr.write('Skipped: the image has to be built first.\n');

(image === undefined ? describe.skip : describe)('The image', () => {
  const own = image ?? '';
  const names: string[] = [];

  showProgress();
  afterAll(() => docker('rm', '--force', ...names));

  it('adds at most 190 MB to that of Node', async () => {
    const [, base = ''] =
      /^FROM (\S+)$/m.exec(readFileSync('deploy/docker/Dockerfile', 'utf8')) ?? [];
    const sizes = await docker('image', 'inspect', '--format', '{{.Size}}', own, base);
    const [bytes = NaN, ofBase = NaN] = sizes.split('\n').map(Number);
    process.stderr.write(`    ${bytes - ofBase} bytes more than ${base}\n`);
    expect(bytes - ofBase).toBeLessThan(MOST_ADDED_BYTES);
  });

  /** Runs Node in a container, with a record of the modules that it loads. */
  async function start(...words: readonly string[]): Promise<string> {
    const name = `${NAME}-${names.length}`;
    names.push(name);
    const recorder = ['--volume', `${RECORDER}:/recorder.mjs:ro`];
    const options = ['--network', 'none', '--read-only', '--tmpfs', '/tmp', ...variables];
    await docker('run', '--detach', '--name', name, ...options, ...recorder, own, 'node', ...words);
    return name;
  }

  const logOf = (name: string) => runShell(`docker logs ${name} 2>&1`);

  it('has no package that no program loads', async () => {
    for (const main of LASTING) {
      const name = await start('--import', '/recorder.mjs', main);
      await eventually(async () => expect(await logOf(name)).toContain('"Started, '), START_MS);
      await docker('stop', name);
    }
    for (const words of COMMANDS) {
      await docker('wait', await start('--import', '/recorder.mjs', ...words));
    }
    const late = await start('/recorder.mjs', ...LATE);
    expect([await docker('wait', late), await logOf(late)]).toEqual([
      '0',
      expect.not.stringContaining('Error'),
    ]);

    const logs = (await Promise.all(names.map(logOf))).join('\n');
    const loaded = logs.match(/(?<=^LOADED file:\/\/\/app\/).*/gm) ?? [];
    expect(loaded.length).toBeGreaterThan(300);
    const find = `find node_modules -type f -regex '.*\\.\\([cm]?js\\|node\\|wasm\\)'`;
    const modules = (await docker('run', '--rm', own, 'sh', '-c', find)).split('\n');
    const used = new Set(loaded.map(packageOf));
    const unused = new Set(modules.map(packageOf).filter((name) => !used.has(name)));
    const inOtherCases = Object.values(IN_OTHER_CASES).flat();
    const isKnown = (name: string) => inOtherCases.some((pattern) => pattern.test(name));
    expect([...unused].filter((name) => !isKnown(name))).toEqual([]);
    // A reason that has become wrong.
    const superfluous = inOtherCases.filter((one) => ![...unused].some((name) => one.test(name)));
    expect(superfluous).toEqual([]);
  });
});

/** `node_modules/a/node_modules/@b/c/d.js` is of the package `a/node_modules/@b/c`. */
const packageOf = (file: string): string =>
  /node_modules\/(.*node_modules\/)?(@[^/]+\/)?[^/]+/
    .exec(file)?.[0]
    .replace('node_modules/', '') ?? '';
