import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment } from '#config';
import { OwnProcess } from '../../deploy/local/own-process.js';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { sendRequest } from './http-request.js';
import type { System } from './start-system.js';

const READY_DEADLINE_MS = 30_000;
const SHOWN_LINES = 30;

interface Worker {
  readonly port: number;
  process: OwnProcess | undefined;
}

/** Push workers beside each other, to be killed and started again one by one. */
export class ChaosWorkers {
  readonly #workers: Worker[];

  private constructor(
    private readonly system: System,
    ports: readonly number[],
  ) {
    this.#workers = ports.map((port) => ({ port, process: undefined }));
  }

  /** The system must run without a worker of its own. */
  static async start(system: System, count: number): Promise<ChaosWorkers> {
    const workers = new ChaosWorkers(system, await freePorts(count));
    system.beforeStop(() => workers.stop());
    await Promise.all(workers.#workers.map((_, index) => workers.startAgain(index)));
    return workers;
  }

  /** As a crash would. */
  async kill(index: number): Promise<void> {
    const running = this.#workers[index]?.process;
    running?.kill();
    await running?.ended;
  }

  /** Resolves when it runs, also where its providers or stores do not. */
  async startAgain(index: number): Promise<void> {
    const worker = this.#workers[index];
    if (worker === undefined) throw new Error(`There is no worker ${index}.`);
    const environment: Record<string, string> = {
      ...this.system.environmentOf('push-worker'),
      PUSH_HEALTH_PORT: String(worker.port),
    };
    const log = openSync(this.#logFileOf(index), 'a', 0o600);
    worker.process = new OwnProcess({
      command: process.execPath,
      args: ['--enable-source-maps', 'dist/apps/push-worker/src/main.js'],
      cwd: process.cwd(),
      env: childEnvironment(environment),
      stdio: ['ignore', log, log],
      stopSignal: 'SIGTERM',
      graceMs: 10_000,
    });
    closeSync(log);
    await eventually(async () => {
      const { status } = await sendRequest(`http://127.0.0.1:${worker.port}/health/live`);
      if (status !== 200) throw new Error(`Worker ${index} answers ${status}.`);
    }, READY_DEADLINE_MS);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map(({ process: running }) => running?.stop()));
  }

  /** The end of what each has logged, for a test that fails. */
  async lastWords(): Promise<string> {
    const ends = this.#workers.map(async (_, index) => {
      const lines = (await readFile(this.#logFileOf(index), 'utf8')).split('\n');
      return `worker ${index}:\n${lines.slice(-SHOWN_LINES).join('\n')}`;
    });
    return (await Promise.all(ends)).join('\n');
  }

  #logFileOf(index: number): string {
    const folder = this.system.environmentOf('push-worker')['DATA_DIR'] ?? '.';
    return path.join(folder, `push-worker-${index}.log`);
  }
}
