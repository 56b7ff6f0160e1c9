import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OwnProcess } from '../../deploy/local/own-process.js';
import { eventually } from './eventually.js';
import { sendRequest } from './http-request.js';
import { type Environment, startProgram } from './program-process.js';
import type { System } from './start-system.js';

/** For a busy machine. */
const READY_DEADLINE_MS = 120_000;
const SHOWN_LINES = 30;

/** The variable that sets the health port of each program. */
const healthPortVariables = {
  presence: 'PRESENCE_HEALTH_PORT',
  'api-gateway': 'GATEWAY_METRICS_PORT',
  'push-worker': 'PUSH_HEALTH_PORT',
} as const;

interface ChaosProgramOptions {
  readonly name: keyof typeof healthPortVariables;
  /** The number of this program among those with the same name. */
  readonly index: number;
  readonly healthPort: number;
  /**
   * The health check that completes the start; `ready` by default. `live` passes also while stores or providers are
   * down.
   */
  readonly startedWhen?: 'ready' | 'live';
  readonly environment?: Environment;
  /** The folder of the built release; by default this one. */
  readonly root?: string;
}

/** One of several equal programs, which a test can kill, pause, stop and restart. */
export class ChaosProgram {
  readonly label: string;
  readonly #environment: Environment;
  #process: OwnProcess | undefined;

  constructor(
    system: System,
    private readonly options: ChaosProgramOptions,
  ) {
    const { name, index, healthPort, environment } = options;
    this.label = `${name}-${index}`;
    this.#environment = {
      ...system.environmentOf(name),
      [healthPortVariables[name]]: String(healthPort),
      ...environment,
    };
  }

  /** Starts or restarts the program, also with another release. */
  async start(root = this.options.root): Promise<void> {
    const { name, startedWhen = 'ready' } = this.options;
    const options = root === undefined ? {} : { root };
    this.#process = startProgram(name, this.#environment, this.#logFile, options);
    await eventually(async () => {
      const { status } = await this.#ask(`/health/${startedWhen}`);
      if (status !== 200) throw new Error(`${this.label} answers ${status}.`);
    }, READY_DEADLINE_MS);
  }

  /** Simulates a crash. */
  async kill(): Promise<void> {
    this.#process?.kill();
    await this.#process?.ended;
  }

  /** Shuts the program down gracefully. */
  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  /** Suspends the program, with open connections, until `continue`. */
  pause(): void {
    this.#process?.child.kill('SIGSTOP');
  }

  continue(): void {
    this.#process?.child.kill('SIGCONT');
  }

  async metrics(): Promise<string> {
    return (await this.#ask('/metrics')).text;
  }

  /** The last lines of the log. */
  async lastLogLines(): Promise<string> {
    const lines = (await readFile(this.#logFile, 'utf8')).split('\n');
    return `${this.label}:\n${lines.slice(-SHOWN_LINES).join('\n')}`;
  }

  get #logFile(): string {
    return path.join(this.#environment['DATA_DIR'] ?? '.', `${this.label}.log`);
  }

  #ask(page: string) {
    return sendRequest(`http://127.0.0.1:${this.options.healthPort}${page}`);
  }
}

/** The last log lines of each program, for the report of a failed test. */
export async function lastLogLinesOf(programs: readonly ChaosProgram[]): Promise<string> {
  return (await Promise.all(programs.map((program) => program.lastLogLines()))).join('\n');
}
