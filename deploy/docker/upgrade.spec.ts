import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** An engine with the containers of one service, `api-gateway`, whose ids are the lines of the file `containers`. */
const DOCKER = String.raw`#!/bin/sh
[ "$1" = compose ] && shift && [ "$1" = --profile ] && shift 2
command=$1
case "$*" in
  'ps --all --quiet api-gateway') cat containers ;;
  up*)
    count=$(echo "$*" | sed 's/.*api-gateway=\([0-9]*\) .*/\1/')
    while [ "$(wc -l < containers)" -lt "$count" ]; do
      echo "new-$(date +%s%N)" >> containers
      if [ -e up-fails ]; then exit 1; fi
    done ;;
  inspect*) cat health ;;
  'rm --force api-gateway') ;;
  rm*)
    for id in "$@"; do sed -i "/^$id\$/d" containers; done ;;
esac
`;

/** Returns at once. Before that, a signal comes if there is a file of its name, once. */
const SLEEP = `#!/bin/sh
for signal in HUP INT TERM; do
  [ ! -e "$signal" ] || { rm "$signal"; kill -s "$signal" "$PPID"; }
done
`;

describe('deploy/docker/upgrade', () => {
  let folder: string;

  const write = (name: string, text: string) =>
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  const containers = () => readFileSync(path.join(folder, 'containers'), 'utf8').split('\n');

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-upgrade-'));
    for (const name of ['deploy/docker', 'bin'])
      mkdirSync(path.join(folder, name), { recursive: true });
    copyFileSync('deploy/docker/upgrade', path.join(folder, 'deploy/docker/upgrade'));
    write('deploy/docker/make-secrets', '#!/bin/sh\n');
    write('bin/docker', DOCKER);
    write('bin/sleep', SLEEP);
    write('containers', 'old-1\nold-2\n');
    write('health', '0 healthy');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = () =>
    spawnSync('sh', ['-c', `PATH='${folder}/bin':"$PATH" exec deploy/docker/upgrade`], {
      cwd: folder,
      encoding: 'utf8',
    });

  it('starts as many new containers as there are old ones, and ends the old ones', () => {
    expect(run().status).toBe(0);
    expect(containers()).toEqual([expect.any(String), expect.any(String), '']);
    expect(containers()).not.toContain('old-1');
  });

  it('keeps the old containers if new ones do not become healthy, or cannot be started', () => {
    write('health', '1 starting');
    const unhealthy = run();
    expect(unhealthy).toMatchObject({ status: 1, stderr: expect.stringContaining('go on') });
    expect(containers()).toEqual(['old-1', 'old-2', '']);
    write('health', '0 healthy');
    write('up-fails', '');
    expect(run().status).toBe(1);
    expect(containers()).toEqual(['old-1', 'old-2', '']);
  });

  it.each(['HUP', 'INT', 'TERM'])('keeps only the old containers after the signal %s', (signal) => {
    write(signal, '');
    expect(run().status).toBe(1);
    expect(existsSync(path.join(folder, signal))).toBe(false);
    expect(containers()).toEqual(['old-1', 'old-2', '']);
  });
});
