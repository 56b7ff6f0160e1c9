import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { BenchUser } from '../world/bench-world.js';

export const QUEUE_NAME = 'limit-push';

/** How the sandbox's APNs is reached. */
export interface ApnsAccess {
  readonly host: string;
  readonly port: number;
  readonly caFile: string;
  readonly keyFile: string;
  readonly keyId: string;
  readonly teamId: string;
}

/** What the limit of push works on. */
export interface PushLimitPlan {
  readonly redisUrl: string;
  readonly users: readonly BenchUser[];
  /** One for each user. */
  readonly tokens: readonly string[];
  readonly apns: ApnsAccess;
  readonly concurrency: number;
}

/**
 * The least that a notification can cost in the same shape: a bare node:http handler that signs in
 * from memory, a BullMQ job, a worker, and the client library. No database, no record, no retry.
 */
export class PushLimit {
  private constructor(
    private readonly processes: readonly BenchProcess<PushLimitPlan>[],
    readonly port: number,
  ) {}

  static async start(place: ProcessPlace, plan: PushLimitPlan): Promise<PushLimit> {
    const gateway = new BenchProcess<PushLimitPlan>('limits/push-limit-gateway.process.js', place);
    const worker = new BenchProcess<PushLimitPlan>('limits/push-limit-worker.process.js', place);
    const [port] = await Promise.all([gateway.ask<number>(plan), worker.ask(plan)]);
    return new PushLimit([gateway, worker], port);
  }

  async stop(): Promise<void> {
    for (const process of this.processes) await process.stop();
  }
}
