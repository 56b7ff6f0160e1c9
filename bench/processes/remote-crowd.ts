import type { Serializable } from 'node:child_process';
import type { CrowdQuestion } from './answer-parent.js';
import { BenchProcess } from './bench-process.js';
import type { ProcessPlace } from './process-place.js';

type Method = (...args: never[]) => unknown;
type MethodName<Crowd> = {
  [Name in keyof Crowd]: Crowd[Name] extends Method ? Name : never;
}[keyof Crowd] &
  string;
type ArgumentsOf<Value> = Value extends (...args: infer Arguments) => unknown ? Arguments : never;
type ResultOf<Value> = Value extends (...args: never[]) => infer Result ? Awaited<Result> : never;

/** A crowd of clients in its own process. */
export class RemoteCrowd<Crowd extends object> {
  private constructor(private readonly process: BenchProcess<CrowdQuestion>) {}

  /** `module` is a module for BenchProcess that calls `serveCrowd`. */
  static async gather<Crowd extends object>(
    module: string,
    place: ProcessPlace,
    plan: Serializable,
  ): Promise<RemoteCrowd<Crowd>> {
    const process = new BenchProcess<CrowdQuestion>(module, place);
    await process.ask({ plan });
    return new RemoteCrowd(process);
  }

  get pid(): number {
    return this.process.pid;
  }

  /** Calls a method of the crowd. One call at a time. */
  call<Name extends MethodName<Crowd>>(
    method: Name,
    ...args: ArgumentsOf<Crowd[Name]>
  ): Promise<ResultOf<Crowd[Name]>> {
    return this.process.ask({ method, args });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
