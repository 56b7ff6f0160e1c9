import { randomUUID } from 'node:crypto';
import { BullModule, InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
import {
  Controller,
  type DynamicModule,
  Headers,
  HttpCode,
  Inject,
  Module,
  Post,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { BareSignIn } from '../limits/bare-sign-in.js';
import { answerParent } from '../processes/answer-parent.js';
import type { RivalPackage, RivalPlan } from './rival-plan.js';
import { openSender, type RivalSender } from './rival-senders.js';

const QUEUE = 'push';
const PLAN = 'plan';
const SENDER = 'sender';
/** As in the documentation of BullMQ; its default is 1, so that a worker would wait for each answer. */
const CONCURRENCY = 50;
/** A job for each phone, and for Google as many phones as one call of the SDK takes. */
const PHONES_OF_JOB: Readonly<Record<RivalPackage, number>> = {
  '@parse/node-apn': 1,
  apns2: 1,
  'firebase-admin': 500,
};
/** As in the documentation of BullMQ. */
const RETRIES = { attempts: 3, backoff: { type: 'exponential', delay: 1000 } };

interface PushJob {
  readonly id: string;
  readonly tokens: readonly string[];
}

@Controller('api/v1/mobile_push/test_notification')
class NotificationsController {
  readonly #signIn: BareSignIn;
  readonly #jobsOf = new Map<number, string[][]>();

  constructor(
    @InjectQueue(QUEUE) private readonly queue: Queue<PushJob>,
    @Inject(PLAN) { users, phones, package: name }: RivalPlan,
  ) {
    this.#signIn = new BareSignIn(users);
    for (const { userId, token } of phones) {
      const jobs = this.#jobsOf.get(userId) ?? [];
      const last = jobs.at(-1);
      if (last !== undefined && last.length < PHONES_OF_JOB[name]) last.push(token);
      else jobs.push([token]);
      this.#jobsOf.set(userId, jobs);
    }
  }

  @Post()
  @HttpCode(200)
  async notify(@Headers('authorization') authorization: string) {
    const jobs = this.#jobsOf.get(this.#signIn.userOf(authorization)) ?? [];
    const id = randomUUID();
    const [first] = jobs;
    if (jobs.length === 1 && first !== undefined) {
      await this.queue.add(QUEUE, { id, tokens: first });
    } else {
      // Each phone has a notification of its own.
      await this.queue.addBulk(
        jobs.map((tokens) => ({ name: QUEUE, data: { id: randomUUID(), tokens } })),
      );
    }
    return { result: 'success', msg: '' };
  }
}

@Processor(QUEUE, { concurrency: CONCURRENCY })
class PushProcessor extends WorkerHost {
  constructor(@Inject(SENDER) private readonly sender: RivalSender) {
    super();
  }

  /** A retry sends again to the phones whose push was not accepted. */
  async process(job: Job<PushJob>): Promise<void> {
    const { id, tokens } = job.data;
    const failed = await this.sender.send(id, tokens);
    if (failed.length === 0) return;
    await job.updateData({ id, tokens: failed });
    throw new Error(`${failed.length} of ${tokens.length} pushes were not accepted`);
  }
}

@Module({})
class RivalModule {
  static with(plan: RivalPlan): DynamicModule {
    const connection = new Redis(plan.redisUrl, { maxRetriesPerRequest: null });
    const providers = [
      { provide: PLAN, useValue: plan },
      { provide: SENDER, useFactory: () => openSender(plan) },
    ];
    return {
      module: RivalModule,
      imports: [
        BullModule.forRoot({ connection, prefix: `rival-${plan.package}` }),
        BullModule.registerQueue({ name: QUEUE, defaultJobOptions: RETRIES }),
      ],
      ...(plan.role === 'requests'
        ? { controllers: [NotificationsController], providers }
        : { providers: [...providers, PushProcessor] }),
    };
  }
}

const logger = ['error' as const, 'warn' as const];

/**
 * What a user would build: a Nest module with a queue of BullMQ, a controller that adds jobs, and a processor that sends
 * with the package of the provider. No record.
 */
answerParent(async (plan: RivalPlan) => {
  if (plan.role === 'deliveries') {
    const worker = await NestFactory.createApplicationContext(RivalModule.with(plan), { logger });
    worker.enableShutdownHooks();
    return 0;
  }
  const app = await NestFactory.create<NestFastifyApplication>(
    RivalModule.with(plan),
    new FastifyAdapter(),
    { logger },
  );
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  return new URL(await app.getUrl()).port;
});
