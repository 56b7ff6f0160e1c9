/**
 * The entry of every command of this project. It needs only Node and npm:
 * installs the locked packages, builds changed sources, then runs the built command.
 *
 *   node deploy/local/bootstrap.mjs start|test|demo|bench|soak|prepare [arguments]
 *
 * `prepare` stops after the build. This file and those that it imports need no package.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { Progress } from './progress.mjs';
import { runQuietly, StepFailed } from './run-quietly.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The built module with the `run` of each command. */
const commands = {
  start: 'deploy/local/start.js',
  test: 'deploy/local/test.js',
  demo: 'deploy/local/demo.js',
  bench: 'bench/command.js',
  soak: 'bench/soak/command.js',
};

/** Since these versions `require` loads ES modules, which some packages need. */
const leastMinorOfMajor = { 20: 19, 22: 12 };

function assertNodeIsRecent() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isRecent = major > 22 || minor >= (leastMinorOfMajor[major] ?? Infinity);
  if (!isRecent) {
    throw new StepFailed(
      `Carillon needs Node 20.19, 22.12, 24 or newer; this is Node ${process.versions.node}.\n` +
        'See https://nodejs.org/en/download for a current one.',
    );
  }
}

/** @param {Progress} progress */
async function installPackages(progress) {
  const stamp = path.join(root, 'node_modules/.cache/carillon/package-lock.sha256');
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  await progress.step('Installing the locked packages (npm ci)', () =>
    runQuietly('npm', ['ci', '--include=dev', '--no-progress'], {
      cwd: root,
      shell: process.platform === 'win32',
    }),
  );
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main(command, args) {
  const progress = new Progress();
  try {
    assertNodeIsRecent();
    if (command !== 'prepare' && !Object.hasOwn(commands, command)) {
      const known = Object.keys(commands).join(', ');
      throw new StepFailed(`There is no command "${command}"; use ${known}.`);
    }
    process.chdir(root);
    await installPackages(progress);
    await build(root, progress);
    if (command === 'prepare') return 0;
    const program = path.join(root, 'dist', commands[command]);
    const { run } = await import(pathToFileURL(program).href);
    return await run({ root, args, progress });
  } catch (error) {
    // Errors of our classes explain themselves; built-in errors are defects.
    const isDefect = error.name in globalThis;
    process.stderr.write(`\n${isDefect ? error.stack : error.message}\n`);
    return 1;
  }
}

// Open handles of a library must not keep the process alive.
process.exit(await main(process.argv[2] ?? 'start', process.argv.slice(3)));
