import type { Serializable } from 'node:child_process';
import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';

/** A reference server in its own process, which a scenario compares with Carillon. */
export class LimitServer {
  private constructor(
    private readonly process: Pick<BenchProcess<never>, 'pid' | 'stop'>,
    readonly port: number,
  ) {}

  /** `module` is a module for BenchProcess. It answers its plan with the port on which it serves. */
  static async start<Plan extends Serializable>(
    place: ProcessPlace,
    module: string,
    plan: Plan,
  ): Promise<LimitServer> {
    const process = new BenchProcess<Plan>(module, place);
    return new LimitServer(process, await process.ask(plan));
  }

  get pid(): number {
    return this.process.pid;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
