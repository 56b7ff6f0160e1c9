import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Progress } from './command.js';
import { findRedisProgram, redisVersionIn } from './redis-programs.js';

describe(redisVersionIn.name, () => {
  it.each([
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
    ['Valkey server v=8.0.1 sha=00000000:0 malloc=libc bits=64', '8.0.1'],
    ['Redis server v=10.2 sha=00000000:0', '10.2'],
    ['', undefined],
  ])('reads %j as %s', (printed, version) => {
    expect(redisVersionIn(printed)).toBe(version);
  });
});

const silent: Progress = {
  step: (_title, work) => work(),
  print: () => undefined,
  paint: (_format, text) => text,
  isLive: false,
  hasColors: false,
};

/** A fake program: records its arguments and imitates the used part of the real program. */
const APT_GET = `#!/bin/sh
echo "$@" >> "$0.log"
cat "$APT_CONFIG" >> "$0.config"
case "$1" in
  install) echo "Inst libjemalloc2 (5.3.0-1 Debian [amd64])" ;;
  download) shift 2; for name in "$@"; do echo > "$name.deb"; done ;;
esac`;
const DPKG_DEB = `#!/bin/sh
[ "$1" = --extract ] || exit 0
mkdir -p "$3/usr/bin" "$3/usr/lib/x86_64-linux-gnu"
basename "$2" >> "$3/unpacked"
printf '#!/bin/sh\\necho "Redis server v=7.0.15"\\n' > "$3/usr/bin/redis-server"
chmod +x "$3/usr/bin/redis-server"`;

describe(findRedisProgram.name, () => {
  let place: string;
  let tools: string;
  const { PATH } = process.env;

  beforeEach(async () => {
    place = await mkdtemp(path.join(tmpdir(), 'carillon-download-'));
    tools = path.join(place, 'tools');
    await mkdir(tools);
    const programs = { 'apt-get': APT_GET, 'dpkg-deb': DPKG_DEB, 'apt-config': '#!/bin/sh' };
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(path.join(tools, name), text, { mode: 0o755 });
    }
    // The tools of the shell scripts, but no Redis.
    for (const name of ['cat', 'mkdir', 'chmod', 'basename', 'printf', 'sh', 'id']) {
      const real = ['/bin', '/usr/bin'].map((folder) => path.join(folder, name)).find(existsSync);
      await writeFile(path.join(tools, name), `#!/bin/sh\nexec ${real} "$@"`, { mode: 0o755 });
    }
    process.env['PATH'] = tools;
  });

  afterEach(async () => {
    process.env['PATH'] = PATH;
    await rm(place, { recursive: true });
  });

  it('downloads Redis into the project once and installs nothing', async () => {
    const root = path.join(place, 'project');
    const program = await findRedisProgram(root, silent);
    expect(program).toMatchObject({ kind: 'native', title: 'Redis 7.0.15' });
    const cache = path.join(root, 'node_modules/.cache/carillon');
    expect(await readdir(cache)).toEqual(['redis']);
    expect(readFileSync(path.join(cache, 'redis/unpacked'), 'utf8').split('\n')).toEqual(
      expect.arrayContaining(['redis-server.deb', 'redis-tools.deb', 'libjemalloc2.deb']),
    );
    const calls = readFileSync(path.join(tools, 'apt-get.log'), 'utf8').trim().split('\n');
    expect(calls).toEqual([
      '--version',
      'update -qq',
      'install --simulate --no-install-recommends redis-server redis-tools',
      'download -qq redis-server redis-tools libjemalloc2',
    ]);
    // The lists, packages and hooks are private to the download.
    const written = readFileSync(path.join(tools, 'apt-get.config'), 'utf8');
    for (const setting of ['Dir::Etc::parts', 'Dir::State::lists', 'Dir::Cache']) {
      expect(written).toContain(`${setting} "${cache}`);
    }

    expect(await findRedisProgram(root, silent)).toEqual(program);
    expect(readFileSync(path.join(tools, 'apt-get.log'), 'utf8').trim().split('\n')).toHaveLength(
      4,
    );
  });
});
