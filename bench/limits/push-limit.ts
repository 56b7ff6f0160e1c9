import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { BenchUser } from '../world/bench-world.js';
import type { SampleRequest } from '../load/sandbox-inbox.js';
import type { ProviderAccess } from './bare-sender.js';

export const QUEUE_NAME = 'limit-push';
export const JOB_NAME = 'send';
export const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true };

/** The configuration of the worker of the reference design. */
interface PushLimitWork {
  readonly access: ProviderAccess;
  readonly sample: SampleRequest;
  readonly concurrency: number;
}

/** The configuration of the reference design for push. */
export interface PushLimitPlan {
  readonly redisUrl: string;
  readonly users: readonly BenchUser[];
  /** One token per user. */
  readonly tokens: readonly string[];
  /** Null: there is no worker, and accepted notifications stay in the queue. */
  readonly worker: PushLimitWork | null;
}

type LimitProcess = BenchProcess<PushLimitPlan>;

/**
 * The lower bound of the cost of a notification with the same architecture: a plain node:http handler that
 * authenticates from memory, a BullMQ job, a worker, and a plain node:http2 client. Without a database, a record and
 * retries.
 */
export class PushLimit {
  private constructor(
    private readonly gateway: LimitProcess,
    private readonly worker: LimitProcess | null,
    readonly port: number,
  ) {}

  static async start(place: ProcessPlace, plan: PushLimitPlan): Promise<PushLimit> {
    const gateway: LimitProcess = new BenchProcess('limits/push-limit-gateway.process.js', place);
    const port = await gateway.ask<number>(plan);
    if (plan.worker === null) return new PushLimit(gateway, null, port);
    const worker: LimitProcess = new BenchProcess('limits/push-limit-worker.process.js', place);
    await worker.ask(plan);
    return new PushLimit(gateway, worker, port);
  }

  get gatewayPid(): number {
    return this.gateway.pid;
  }

  get workerPid(): number {
    return this.worker?.pid ?? 0;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.worker?.stop();
  }
}
