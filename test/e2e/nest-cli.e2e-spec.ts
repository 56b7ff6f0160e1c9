import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { loadPage } from '#test/page-files';
import { useFolder } from '#test/use-fixture';
import { useSystem } from '#test/use-system';

const run = promisify(execFile);

const SOURCES = ['apps', 'libs', 'prisma', 'bench', 'deploy', 'test/support'];
const SETTINGS = ['package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];

/** The compiler takes a minute on a busy machine. */
const BUILD_DEADLINE_MS = 600_000;

describe('Programs that `nest build` has built', () => {
  const folder = useFolder();
  beforeAll(async () => {
    for (const name of [...SOURCES, ...SETTINGS])
      await cp(name, path.join(folder.path, name), { recursive: true });
    await symlink(path.resolve('node_modules'), path.join(folder.path, 'node_modules'));
    const nest = [path.resolve('node_modules/@nestjs/cli/bin/nest.js'), 'build'];
    await run(process.execPath, nest, { cwd: folder.path, env: childEnvironment({}) });
  }, BUILD_DEADLINE_MS);
  const system = useSystem(() => ({ root: folder.path }));

  it('answer requests', async () => {
    const { status } = await system.api('alice').post('/users/me/presence', { status: 'active' });
    expect(status).toBe(200);
  });

  it('have the files of their pages', async () => {
    for (const [name, { status }] of await loadPage(system.demo.sandbox_url))
      expect({ name, status }).toEqual({ name, status: 200 });
  });
});
