import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OwnProcess } from '../../deploy/local/own-process.js';
import { eventually } from './eventually.js';
import { sendRequest } from './http-request.js';
import { type Environment, startProgram } from './program-process.js';
import type { System } from './start-system.js';

const READY_DEADLINE_MS = 30_000;
const SHOWN_LINES = 30;

/** What sets the port at which a program tells how it is. */
const healthPortVariables = {
  presence: 'PRESENCE_HEALTH_PORT',
  'api-gateway': 'GATEWAY_METRICS_PORT',
  'push-worker': 'PUSH_HEALTH_PORT',
} as const;

interface ChaosProgramOptions {
  readonly name: keyof typeof healthPortVariables;
  /** Which one of its kind it is. */
  readonly index: number;
  readonly healthPort: number;
  /** When it counts as started: when it is ready if left out. `live`: also while its stores or providers are away. */
  readonly startedWhen?: 'ready' | 'live';
  readonly environment?: Environment;
}

/** One program of several of its kind, to be killed, held up, stopped and started again. */
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

  /** Starts it, or starts it again. */
  async start(): Promise<void> {
    const { name, startedWhen = 'ready' } = this.options;
    this.#process = startProgram(name, this.#environment, this.#logFile);
    await eventually(async () => {
      const { status } = await this.#ask(`/health/${startedWhen}`);
      if (status !== 200) throw new Error(`${this.label} answers ${status}.`);
    }, READY_DEADLINE_MS);
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    this.#process?.kill();
    await this.#process?.ended;
  }

  /** In good order. */
  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  /** Until it is continued it does nothing, while its connections stay. */
  pause(): void {
    this.#process?.child.kill('SIGSTOP');
  }

  continue(): void {
    this.#process?.child.kill('SIGCONT');
  }

  async metrics(): Promise<string> {
    return (await this.#ask('/metrics')).text;
  }

  /** The end of what it has logged. */
  async lastWords(): Promise<string> {
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

/** The end of what each has logged, for a test that fails. */
export async function lastWordsOf(programs: readonly ChaosProgram[]): Promise<string> {
  return (await Promise.all(programs.map((program) => program.lastWords()))).join('\n');
}
