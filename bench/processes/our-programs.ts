import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment } from '#config';
import { OwnProcess } from '../../deploy/local/own-process.js';
import { type programNames, programOf, type StackParts } from '../../deploy/local/programs.js';
import { waitUntil } from '../../deploy/local/wait-until.js';
import { EXTERNAL_HOST } from '../world/bench-world.js';
import type { ProcessPlace } from './process-place.js';

export type OurProgram = (typeof programNames)[number];

const READY_DEADLINE_MS = 60_000;
const STOP_GRACE_MS = 10_000;

/** What differs from a real run: nobody is turned away, and the sign-ins that were warmed stay warm. */
const ENVIRONMENT = {
  EXTERNAL_URL: `http://${EXTERNAL_HOST}`,
  RATE_LIMIT_USER: '60:1000000000',
  RATE_LIMIT_ADDRESS: '60:1000000000',
  SIGN_IN_CACHE_SECONDS: '3600',
};

/** Our real programs as they run everywhere else, each a process of its own. */
export class OurPrograms {
  readonly #processes = new Map<OurProgram, OwnProcess>();

  constructor(
    private readonly place: ProcessPlace,
    readonly parts: StackParts,
  ) {}

  get gatewayPort(): number {
    return this.parts.config.ports.gateway;
  }

  pidOf(name: OurProgram): number {
    return this.#processes.get(name)?.pid ?? 0;
  }

  /** Starts a program unless it runs; resolves when it serves. */
  async start(name: OurProgram): Promise<void> {
    if (this.#processes.has(name)) return;
    const { root, logFolder } = this.place;
    const program = programOf(name, this.parts);
    const logFile = path.join(logFolder, `${name}.log`);
    const log = openSync(logFile, 'a', 0o600);
    const running = new OwnProcess({
      command: process.execPath,
      args: [
        '--enable-source-maps',
        ...program.nodeArgs,
        ...this.#profiling(name),
        path.join(root, 'dist/apps', name, 'src/main.js'),
      ],
      cwd: root,
      env: childEnvironment({ ...program.environment, ...ENVIRONMENT }),
      stdio: ['ignore', log, log],
      stopSignal: 'SIGTERM',
      graceMs: STOP_GRACE_MS,
    });
    closeSync(log);
    this.#processes.set(name, running);
    const isReady = waitUntil(
      `${name} serves ${program.readyUrl}`,
      () => isServing(program.readyUrl),
      READY_DEADLINE_MS,
    );
    isReady.catch(() => undefined);
    try {
      await Promise.race([isReady, failsWhenEnded(name, running)]);
    } catch (error) {
      throw new Error(`${String(error)}\n${readFileSync(logFile, 'utf8')}`, { cause: error });
    }
  }

  /** Stops one program; it may be started again. */
  async stopOne(name: OurProgram): Promise<void> {
    const running = this.#processes.get(name);
    this.#processes.delete(name);
    await running?.stop();
  }

  async stop(): Promise<void> {
    for (const running of [...this.#processes.values()].toReversed()) await running.stop();
  }

  #profiling(name: OurProgram): string[] {
    const folder = this.place.profileFolder;
    if (folder === null) return [];
    return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
  }
}

async function failsWhenEnded(name: OurProgram, running: OwnProcess): Promise<never> {
  throw new Error(`${name} ended (${await running.ended}).`);
}

async function isServing(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}
