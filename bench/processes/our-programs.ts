import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { childEnvironment } from '#platform/config';
import { OwnProcess } from '../../deploy/local/own-process.js';
import { type programNames, programOf, type StackParts } from '../../deploy/local/programs.js';
import type { Stores } from '../../deploy/local/stores.js';
import { waitUntil } from '../../deploy/local/wait-until.js';
import { freePorts } from '../../test/support/free-ports.js';
import { throwawayConfig } from '../../test/support/throwaway-config.js';
import { EXTERNAL_HOST } from '../world/bench-world.js';
import { PRESENCE_SECRET } from '../world/presence-secret.js';
import { MEMORY_SIGNAL, memoryReports } from './memory-line.js';
import type { ProcessPlace } from './process-place.js';

export type OurProgram = (typeof programNames)[number];

const READY_DEADLINE_MS = 60_000;
const STOP_GRACE_MS = 10_000;

/** The differences from production: no rate limits, and a sign-in cache that does not expire during a run. */
const ENVIRONMENT = {
  EXTERNAL_URL: `http://${EXTERNAL_HOST}`,
  RATE_LIMIT_USER: '60:1000000000',
  RATE_LIMIT_RECEIPTS: '60:1000000000',
  RATE_LIMIT_ADDRESS: '60:1000000000',
  RATE_LIMIT_TEST_NOTIFICATIONS: '60:1000000000',
  RATE_LIMIT_SERVER_PUSHES: '60:1000000000',
  MAX_DEVICES: '10000',
  SIGN_IN_CACHE_SECONDS: '3600',
  // Beside another build, connections rest during its turns.
  HTTP_KEEP_ALIVE_SECONDS: '3600',
};

/** Preloads the module that reports the memory of a program on request. */
export const reportsMemory = ({ root }: ProcessPlace): Special => ({
  nodeArgs: [
    '--expose-gc',
    `--import=${pathToFileURL(path.join(root, 'dist/bench/processes/report-memory.process.js')).href}`,
  ],
});

/** Additional settings of a program for one scenario. */
export interface Special {
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
}

/** The programs of Carillon as in production, each in its own process. */
export class OurPrograms {
  readonly #processes = new Map<OurProgram, OwnProcess>();

  constructor(
    readonly place: ProcessPlace,
    readonly parts: StackParts,
  ) {}

  /** The programs of one run on its stores, with free ports and new secrets. */
  static async on(place: ProcessPlace, stores: Stores): Promise<OurPrograms> {
    const dataDir = place.logFolder;
    return new OurPrograms(place, {
      config: await throwawayConfig(dataDir),
      dataDir,
      stores,
      apiKeySecret: randomBytes(32),
      presenceSecret: PRESENCE_SECRET,
      pushKeySecret: randomBytes(32),
      opsToken: randomBytes(16).toString('hex'),
    });
  }

  get gatewayPort(): number {
    return this.parts.config.ports.gateway;
  }

  /** The port on which presence serves gateways. */
  get presencePort(): number {
    return this.parts.config.ports.presence;
  }

  get presenceMetricsUrl(): string {
    return `http://127.0.0.1:${this.parts.config.ports.presenceHealth}/metrics`;
  }

  pidOf(name: OurProgram): number {
    return this.#processes.get(name)?.pid ?? 0;
  }

  /** Starts a program if it does not run; resolves when it is ready. */
  async start(name: OurProgram, { environment = {}, nodeArgs = [] }: Special = {}): Promise<void> {
    if (this.#processes.has(name)) return;
    const { root } = this.place;
    const program = programOf(name, this.parts);
    const logFile = this.#logFileOf(name);
    const log = openSync(logFile, 'a', 0o600);
    const running = new OwnProcess({
      command: process.execPath,
      args: [
        '--enable-source-maps',
        ...program.nodeArgs,
        ...nodeArgs,
        ...this.#profiling(name),
        path.join(root, 'dist/apps', name, 'src/main.js'),
      ],
      cwd: root,
      env: childEnvironment({ ...program.environment, ...ENVIRONMENT, ...environment }),
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

  /** Starts another gateway for a presence service at another port. The caller must stop it. */
  async startGatewayBefore(presencePort: number): Promise<OurPrograms> {
    const [gatewayPort = 0] = await freePorts(1);
    const { config } = this.parts;
    const ports = { ...config.ports, gateway: gatewayPort, presence: presencePort };
    const front = new OurPrograms(
      // Its profile would overwrite the profile of the first gateway.
      { ...this.place, profileFolder: null },
      { ...this.parts, config: { ...config, ports } },
    );
    await front.start('api-gateway');
    return front;
  }

  /** Stops a program, which may be started again. */
  async stopOne(name: OurProgram): Promise<void> {
    const running = this.#processes.get(name);
    this.#processes.delete(name);
    await running?.stop();
  }

  /** Kills a program, which may be started again. */
  async kill(name: OurProgram): Promise<void> {
    const running = this.#processes.get(name);
    this.#processes.delete(name);
    running?.kill();
    await running?.ended;
  }

  /** The memory of a program after a garbage collection, in bytes. The program must run with `reportsMemory`. */
  async memoryOf(name: OurProgram): Promise<number> {
    const reports = () => memoryReports(readFileSync(this.#logFileOf(name), 'utf8'));
    const before = reports().length;
    process.kill(this.pidOf(name), MEMORY_SIGNAL);
    await waitUntil(
      `${name} reports its memory`,
      async () => reports().length > before,
      READY_DEADLINE_MS,
    );
    return reports().at(-1) ?? Number.NaN;
  }

  async stop(): Promise<void> {
    for (const running of [...this.#processes.values()].toReversed()) await running.stop();
  }

  #logFileOf(name: OurProgram): string {
    return path.join(this.place.logFolder, `${name}.log`);
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
