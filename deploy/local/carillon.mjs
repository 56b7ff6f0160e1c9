#!/usr/bin/env node
/**
 * `npx carillon …`: runs the built command line from any folder of the project. It builds the project
 * first if necessary, and reports that on the standard error: the standard output belongs to the command.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = path.join(root, 'dist/apps/cli/src/main.js');

function prepare() {
  const bootstrap = path.join(root, 'deploy/local/bootstrap.mjs');
  const stdio = ['ignore', process.stderr, process.stderr];
  const { status } = spawnSync(process.execPath, [bootstrap, 'prepare'], { cwd: root, stdio });
  return status === 0;
}

if (existsSync(program) || prepare()) {
  // The data folder of `npm start` is relative to it.
  process.chdir(root);
  await import(pathToFileURL(program).href);
} else {
  process.stderr.write('The command line could not be built; `npm start` says more.\n');
  process.exitCode = 1;
}
