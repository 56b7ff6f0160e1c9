import { spawn } from 'node:child_process';

/** A step of the bootstrap failed; the message is for people. */
export class StepFailed extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'StepFailed';
  }
}

/**
 * Runs a program without printing its output; rejects with the output unless the exit code is 0.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<void>}
 */
export function runQuietly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => (output += chunk);
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => reject(new StepFailed(error.message)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new StepFailed(output.trim() || `${command} ended with ${signal ?? code}`));
    });
  });
}
