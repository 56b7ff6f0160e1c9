import { ChaosProgram, lastLogLinesOf } from './chaos-program.js';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { startSystem, type System } from './start-system.js';

const GATEWAYS = 2;
const PROCESSES = 3;
const HOST = '127.0.0.1';

/** Metrics of the buffered state that a crash of the program loses. */
const BUFFER_METRICS = /^carillon_presence_(?:client_)?held_users (\d+)$/m;

/** Several presence processes and gateways, on one PostgreSQL and one Redis. */
export class ChaosPrograms {
  private constructor(
    readonly system: System,
    readonly processes: readonly ChaosProgram[],
    readonly gateways: readonly ChaosProgram[],
    readonly gatewayUrls: readonly string[],
  ) {}

  static async start(environment: Readonly<Record<string, string>>): Promise<ChaosPrograms> {
    const system = await startSystem({ programs: [], environment });
    const ports = await freePorts(2 * (PROCESSES + GATEWAYS));
    const presencePorts = ports.splice(0, PROCESSES);
    const gatewayPorts = ports.splice(0, GATEWAYS);
    const processes = presencePorts.map((port, index) => {
      const [healthPort = 0] = ports.splice(0, 1);
      const own = { PRESENCE_PORT: String(port) };
      return new ChaosProgram(system, { name: 'presence', index, healthPort, environment: own });
    });
    const PRESENCE_ADDRESSES = presencePorts.map((port) => `${HOST}:${port}`).join(',');
    const gateways = gatewayPorts.map((port, index) => {
      const [healthPort = 0] = ports.splice(0, 1);
      const own = { PORT: String(port), PRESENCE_ADDRESSES };
      return new ChaosProgram(system, { name: 'api-gateway', index, healthPort, environment: own });
    });
    const urls = gatewayPorts.map((port) => `http://${HOST}:${port}`);
    const programs = new ChaosPrograms(system, processes, gateways, urls);
    system.beforeStop(() => programs.#stop());
    await Promise.all(programs.#all.map((program) => program.start()));
    return programs;
  }

  /** Waits until a crash of one program cannot lose an accepted change. */
  async untilNothingIsBuffered(): Promise<void> {
    await eventually(async () => {
      for (const program of this.#all) {
        const buffered = await bufferedUsersOf(program);
        if (buffered > 0) throw new Error(`${program.label} buffers changes of ${buffered} users.`);
      }
    });
  }

  lastLogLines(): Promise<string> {
    return lastLogLinesOf(this.#all);
  }

  get #all(): ChaosProgram[] {
    return [...this.processes, ...this.gateways];
  }

  async #stop(): Promise<void> {
    for (const program of this.#all) program.continue();
    await Promise.all(this.#all.map((program) => program.stop()));
  }
}

/** The number of users whose state only this program has. */
async function bufferedUsersOf(program: ChaosProgram): Promise<number> {
  const buffered = BUFFER_METRICS.exec(await program.metrics())?.[1];
  if (buffered === undefined)
    throw new Error(`${program.label} does not report its buffered state.`);
  return Number(buffered);
}
