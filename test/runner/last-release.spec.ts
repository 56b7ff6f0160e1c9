import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastReleaseCommit } from '#test/last-release';

describe(lastReleaseCommit.name, () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-last-release-'));
    git('init', '--quiet');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function git(...args: string[]): string {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    return execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' }).trim();
  }

  /** Adds an empty commit; resolves with its name. */
  function commit(): string {
    git('commit', '--quiet', '--allow-empty', '--message', 'Change');
    return git('rev-parse', 'HEAD');
  }

  it('is the newest tagged one', async () => {
    const tagged = commit();
    git('tag', 'v0.2.0');
    commit();
    expect(await lastReleaseCommit(folder)).toBe(tagged);
  });

  it('is never 0.1.0, whose programs cannot run beside those of later code', async () => {
    commit();
    git('tag', 'v0.1.0');
    commit();
    expect(await lastReleaseCommit(folder)).toBeNull();
  });
});
