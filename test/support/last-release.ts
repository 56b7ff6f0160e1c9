import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '#platform/config';
import type { SeedOptions } from '../../prisma/seed/seed.js';

const run = promisify(execFile);

/** Gives the options of the seed to another release. Buffers are in base64. */
const SEED = `
  const { seedDemoWorld } = await import(process.argv[1]);
  const { apiKeySecret, pushKeySecret, ...others } = JSON.parse(process.argv[2]);
  await seedDemoWorld({
    ...others,
    apiKeySecret: Buffer.from(apiKeySecret, 'base64'),
    pushKeySecret: Buffer.from(pushKeySecret, 'base64'),
  });`;

/** Its programs cannot run beside those of later code: the upgrade has an order (docs/operations.md). */
const FIRST_RELEASE = 'v0.1.0';

/** Stands for the last release until the next one has a tag. Its programs can run beside those of later code. */
const UNRELEASED = 'b8e7c9458667c0c4534c3ae59485eacd82baa77f';

/** The newest version tag before HEAD, with which these options of `git describe` answer. */
const NEWEST_TAG = ['--tags', '--abbrev=0', '--match', 'v*', '--exclude', FIRST_RELEASE, 'HEAD^'];

/** The commit of the newest release whose programs can run beside these. Null if the repository in `folder` lacks it. */
export async function lastReleaseCommit(folder = '.'): Promise<string | null> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.trim();
  try {
    const release = await git('describe', ...NEWEST_TAG).catch(() => UNRELEASED);
    return await git('rev-parse', '--verify', `${release}^{commit}`);
  } catch {
    return null;
  }
}

/** The last release, built in a temporary folder. */
export class LastRelease {
  private constructor(readonly root: string) {}

  static async build(commit: string): Promise<LastRelease> {
    const root = await mkdtemp(path.join(tmpdir(), 'carillon-last-release-'));
    const archive = path.join(root, 'release.tar');
    await run('git', ['archive', '--output', archive, commit]);
    await run('tar', ['-xf', archive, '-C', root]);
    await rm(archive);
    const release = new LastRelease(root);
    await release.#install();
    await run(process.execPath, ['deploy/local/build.mjs'], release.#options);
    return release;
  }

  get migrations(): string {
    return path.join(this.root, 'prisma/migrations');
  }

  /** Creates the demo organisation as that release does. */
  async seed({ apiKeySecret, pushKeySecret, ...others }: SeedOptions): Promise<void> {
    const secrets = {
      apiKeySecret: apiKeySecret.toString('base64'),
      pushKeySecret: pushKeySecret.toString('base64'),
    };
    const module = path.join(this.root, 'dist/prisma/seed/seed.js');
    const options = JSON.stringify({ ...others, ...secrets });
    const args = ['--input-type=module', '--eval', SEED, module, options];
    await run(process.execPath, args, this.#options);
  }

  remove(): Promise<void> {
    return rm(this.root, { recursive: true, force: true });
  }

  get #options() {
    return { cwd: this.root, env: childEnvironment({}), maxBuffer: 64 * 1024 * 1024 };
  }

  /** Uses the packages of this release if they are the same, but not the cache of the build. */
  async #install(): Promise<void> {
    const lock = 'package-lock.json';
    const isSame = readFileSync(lock).equals(readFileSync(path.join(this.root, lock)));
    if (!isSame || !existsSync('node_modules')) {
      await run('npm', ['ci', '--include=dev', '--no-progress'], this.#options);
      return;
    }
    const packages = path.join(this.root, 'node_modules');
    await mkdir(packages);
    for (const name of await readdir('node_modules')) {
      if (name === '.cache') continue;
      await symlink(path.resolve('node_modules', name), path.join(packages, name));
    }
  }
}
