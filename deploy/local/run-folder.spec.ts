import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { makeRunFolder } from './run-folder.js';

it('makes a folder for a run, and removes none but those of killed runs', () => {
  const folderOf = (name: string) => mkdtempSync(path.join(tmpdir(), `carillon-test-${name}`));
  const ofTest = folderOf('');
  const ofRun = folderOf(`${process.pid}-`);
  // Higher than the id of any process.
  const ofKilledRun = folderOf('99999999-');
  const made = makeRunFolder();
  try {
    expect([ofTest, ofRun, ofKilledRun, made].map((folder) => existsSync(folder))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  } finally {
    for (const folder of [ofTest, ofRun, made]) rmSync(folder, { recursive: true });
  }
});
