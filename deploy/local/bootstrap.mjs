/**
 * The way into every command of this project, on a machine that has Node and npm and nothing else:
 * installs what package-lock.json names, builds what is stale, then runs the built command.
 *
 *   node deploy/local/bootstrap.mjs start|test|demo|bench|prepare [arguments]
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
const commands = ['start', 'test', 'demo', 'bench'];

/** From these versions on `require` loads ES modules, which some of our packages rely on. */
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
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  await progress.step('Installing the locked packages (npm ci)', () =>
    runQuietly('npm', ['ci', '--include=dev', '--no-progress'], {
      cwd: root,
      shell: process.platform === 'win32',
    }),
  );
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
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
    if (command !== 'prepare' && !commands.includes(command)) {
      throw new StepFailed(`There is no command "${command}"; use ${commands.join(', ')}.`);
    }
    process.chdir(root);
    await installPackages(progress);
    await build(root, progress);
    if (command === 'prepare') return 0;
    const program = path.join(root, 'dist/deploy/local', `${command}.js`);
    const { run } = await import(pathToFileURL(program).href);
    return await run({ root, args, progress });
  } catch (error) {
    // An error class of our own says all in its message; JavaScript's own ones are surprises.
    const isSurprise = error.name in globalThis;
    process.stderr.write(`\n${isSurprise ? error.stack : error.message}\n`);
    return 1;
  }
}

// Commands leave nothing open; should a library do so, that must not keep the terminal.
process.exit(await main(process.argv[2] ?? 'start', process.argv.slice(3)));
