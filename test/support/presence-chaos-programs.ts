import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment } from '#config';
import { OwnProcess } from '../../deploy/local/own-process.js';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { sendRequest } from './http-request.js';
import { startSystem, type System } from './start-system.js';

const READY_DEADLINE_MS = 30_000;
const SHOWN_LINES = 30;
const GATEWAYS = 2;
const PROCESSES = 3;

/** What waits in a program's memory for a server to come back, and would be gone with the program. */
const HELD_METRICS = /^carillon_presence_(?:client_)?held_users (\d+)$/m;

/** One program of several of its kind, to be killed, held up, stopped and started again. */
export class ChaosProgram {
  #process: OwnProcess | undefined;

  constructor(
    private readonly name: 'presence' | 'api-gateway',
    readonly label: string,
    readonly port: number,
    private readonly healthPort: number,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Starts it, or starts it again; resolves when it serves. */
  async start(): Promise<void> {
    const log = openSync(this.#logFile, 'a', 0o600);
    this.#process = new OwnProcess({
      command: process.execPath,
      args: ['--enable-source-maps', `dist/apps/${this.name}/src/main.js`],
      cwd: process.cwd(),
      env: childEnvironment(this.environment),
      stdio: ['ignore', log, log],
      stopSignal: 'SIGTERM',
      graceMs: 10_000,
    });
    closeSync(log);
    await eventually(async () => {
      const { status } = await this.#ask('/health/ready');
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

  /** Of how many users something is in its memory alone. */
  async heldUsers(): Promise<number> {
    const { text } = await this.#ask('/metrics');
    const held = HELD_METRICS.exec(text)?.[1];
    if (held === undefined) throw new Error(`${this.label} does not tell what it holds.`);
    return Number(held);
  }

  /** The end of what it has logged, for a test that fails. */
  async lastWords(): Promise<string> {
    const lines = (await readFile(this.#logFile, 'utf8')).split('\n');
    return `${this.label}:\n${lines.slice(-SHOWN_LINES).join('\n')}`;
  }

  get #logFile(): string {
    return path.join(this.environment['DATA_DIR'] ?? '.', `${this.label}.log`);
  }

  #ask(page: string) {
    return sendRequest(`http://127.0.0.1:${this.healthPort}${page}`);
  }
}

/** Several presence processes and the gateways that ask them, on one PostgreSQL and one Redis. */
export class ChaosPrograms {
  private constructor(
    readonly system: System,
    readonly processes: readonly ChaosProgram[],
    readonly gateways: readonly ChaosProgram[],
  ) {}

  static async start(environment: Readonly<Record<string, string>>): Promise<ChaosPrograms> {
    const system = await startSystem({ programs: [], environment });
    const ports = await freePorts(2 * (PROCESSES + GATEWAYS));
    const next = () => ports.pop() ?? 0;
    const processes = Array.from({ length: PROCESSES }, (_, index) => {
      const [port, health] = [next(), next()];
      const own = { PRESENCE_PORT: String(port), PRESENCE_HEALTH_PORT: String(health) };
      const all = { ...system.environmentOf('presence'), ...own };
      return new ChaosProgram('presence', `presence-${index}`, port, health, all);
    });
    const addresses = processes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const gateways = Array.from({ length: GATEWAYS }, (_, index) => {
      const [port, health] = [next(), next()];
      const own = { PORT: String(port), GATEWAY_METRICS_PORT: String(health) };
      const all = { ...system.environmentOf('api-gateway'), PRESENCE_ADDRESSES: addresses, ...own };
      return new ChaosProgram('api-gateway', `api-gateway-${index}`, port, health, all);
    });
    const programs = new ChaosPrograms(system, processes, gateways);
    system.beforeStop(() => programs.#stop());
    await Promise.all(programs.#all.map((program) => program.start()));
    return programs;
  }

  get gatewayUrls(): string[] {
    return this.gateways.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Waits until what was answered with success is nowhere but where a crash of one program cannot take it. */
  async untilNothingIsHeld(): Promise<void> {
    await eventually(async () => {
      for (const program of this.#all) {
        const held = await program.heldUsers();
        if (held > 0) throw new Error(`${program.label} holds something of ${held} users.`);
      }
    });
  }

  async lastWords(): Promise<string> {
    return (await Promise.all(this.#all.map((program) => program.lastWords()))).join('\n');
  }

  get #all(): ChaosProgram[] {
    return [...this.processes, ...this.gateways];
  }

  async #stop(): Promise<void> {
    for (const program of this.#all) program.continue();
    await Promise.all(this.#all.map((program) => program.stop()));
  }
}
