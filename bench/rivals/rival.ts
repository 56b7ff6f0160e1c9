import path from 'node:path';
import { type ApnsAccess, apnsAccessOf } from '../limits/apns-access.js';
import { type CpuClocks } from '../measure/cpu-usage.js';
import { cpuClock } from '../measure/process-cpu.js';
import { BenchProcess } from '../processes/bench-process.js';
import type { OurProgram } from '../processes/our-programs.js';
import type { Bench } from '../scenarios/scenario.js';
import type { RivalPlan } from './rival-plan.js';

/** A design that takes requests for test notifications and delivers them, in two programs. */
export interface Design {
  readonly name: string;
  /** Where it takes requests while it runs. */
  readonly port: number;
  readonly cpu: CpuClocks;
  start(): Promise<void>;
  /** Ends it gracefully. */
  stop(): Promise<void>;
  /** Kills both programs at once. */
  kill(): Promise<void>;
}

/** How to reach Apple and Google in the push sandbox, which must run. */
export function providersOf({ programs: { parts } }: Bench): RivalPlan['access'] {
  const apns: ApnsAccess = apnsAccessOf(parts);
  const accountFile = path.join(parts.dataDir, 'sandbox', 'service-account.json');
  return { apns, fcm: { port: parts.config.ports.sandboxFcm, accountFile } };
}

/** The gateway and the push worker of Carillon. */
export class Carillon implements Design {
  readonly name = 'Carillon';
  static readonly #programs: readonly OurProgram[] = ['push-worker', 'api-gateway'];

  constructor(private readonly bench: Bench) {}

  get port(): number {
    return this.bench.programs.gatewayPort;
  }

  get cpu(): CpuClocks {
    const { programs, database } = this.bench;
    return {
      'api-gateway': cpuClock(programs.pidOf('api-gateway')),
      'push-worker': cpuClock(programs.pidOf('push-worker')),
      postgresql: () => database.cpuSeconds(),
    };
  }

  async start(): Promise<void> {
    for (const name of Carillon.#programs) await this.bench.programs.start(name);
  }

  async stop(): Promise<void> {
    for (const name of Carillon.#programs.toReversed()) await this.bench.programs.stopOne(name);
  }

  async kill(): Promise<void> {
    await Promise.all(Carillon.#programs.map((name) => this.bench.programs.kill(name)));
  }
}

/** What a user would build with a package of a provider; see rival.process.ts. */
export class Rival implements Design {
  #gateway: BenchProcess<RivalPlan> | undefined;
  #worker: BenchProcess<RivalPlan> | undefined;
  #port = 0;

  constructor(
    private readonly bench: Bench,
    private readonly plan: Omit<RivalPlan, 'role'>,
  ) {}

  get name(): string {
    return this.plan.package;
  }

  get port(): number {
    return this.#port;
  }

  get cpu(): CpuClocks {
    return {
      'requests of the rival': cpuClock(this.#gateway?.pid ?? 0),
      'deliveries of the rival': cpuClock(this.#worker?.pid ?? 0),
    };
  }

  async start(): Promise<void> {
    const { place } = this.bench;
    const module = 'rivals/rival.process.js';
    this.#worker = new BenchProcess<RivalPlan>(module, place);
    this.#gateway = new BenchProcess<RivalPlan>(module, place);
    await this.#worker.ask({ role: 'deliveries', ...this.plan });
    this.#port = Number(await this.#gateway.ask({ role: 'requests', ...this.plan }));
  }

  async stop(): Promise<void> {
    await this.#gateway?.stop();
    await this.#worker?.stop();
  }

  async kill(): Promise<void> {
    await Promise.all([this.#gateway?.kill(), this.#worker?.kill()]);
  }
}
