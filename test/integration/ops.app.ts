import { randomUUID } from 'node:crypto';
import { ConsoleLogger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DatabaseModule } from '#database';
import { configureEdge, createEdgeAdapter } from '#edge';
import { PushActivityStore, PushObserveModule, PushOperatorModule } from '#push';
import { QueueModule } from '#queue';
import { RateLimitsModule } from '#rate-limits';
import { RedisModule } from '#redis';
import { OpsModule } from '../../apps/api-gateway/src/ops/ops.module.js';
import { serveOps } from '../../apps/api-gateway/src/ops/serve-ops.js';
import { encodeForm, type Fields } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { type OutgoingRequest, type Reply, sendRequest } from '../support/http-request.js';
import { testRedisUrl } from '../support/test-stores.js';
import { OperatedWorld, type WorldDevice } from './push-operate.world.js';

/** An address in a network that nobody has guessed a token from. */
export const anAddress = () =>
  `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1`;

export interface OpsAppOptions {
  /** Null: the page is off. */
  readonly token?: string | null;
  readonly externalUrl?: string;
  readonly redisUrl?: string;
}

/** The operator's page alone, on a ledger that a test fills; no worker. */
export class OpsApp {
  private constructor(
    readonly world: OperatedWorld,
    readonly url: string,
    readonly activity: PushActivityStore,
    private readonly app: NestFastifyApplication,
    private readonly token: string | null,
  ) {}

  static async start({
    token = 'a token that nobody guesses',
    externalUrl = 'http://ops.test',
    redisUrl = testRedisUrl(),
  }: OpsAppOptions = {}): Promise<OpsApp> {
    const world = await OperatedWorld.start();
    const { prefix } = world;
    const observe = PushObserveModule.with({ redisUrl, prefix });
    const options = { token: token ?? undefined, externalUrl };
    @Module({
      imports: [
        DatabaseModule.connect({ url: world.databaseUrl, poolSize: 3 }),
        RedisModule.connect(redisUrl),
        QueueModule.connect({ url: redisUrl, prefix }),
        OpsModule.with({
          ...options,
          imports: [
            observe,
            PushOperatorModule.with({ imports: [observe] }),
            RateLimitsModule.with({
              user: [],
              address: [],
              file: [],
              'sign-in': [{ seconds: 1800, calls: 3 }],
            }),
          ],
        }),
      ],
    })
    class OpsAppModule {}
    const app = await NestFactory.create<NestFastifyApplication>(
      OpsAppModule,
      createEdgeAdapter(['127.0.0.1']),
      { logger: new ConsoleLogger({ logLevels: ['error', 'fatal'] }), bodyParser: false },
    );
    await configureEdge(app, []);
    await serveOps(app, options);
    await app.listen(0, '127.0.0.1');
    const activity = app.get(PushActivityStore);
    // The connections to Redis are made meanwhile.
    await eventually(() => activity.workers(Date.now()));
    return new OpsApp(world, await app.getUrl(), activity, app, token);
  }

  /** Somebody's iPhone. */
  async addPhone(email?: string): Promise<WorldDevice> {
    const { id } = await this.world.addPerson(email);
    return this.world.addDevice(id, 'apns');
  }

  /** A request as it is, from an address of its own unless the headers name one. */
  send(path: string, { headers, ...request }: OutgoingRequest = {}): Promise<Reply> {
    return sendRequest(`${this.url}${path}`, {
      ...request,
      headers: { 'x-forwarded-for': anAddress(), ...headers },
    });
  }

  /** A request of a script that has the token. */
  get(path: string): Promise<Reply> {
    return this.send(path, { headers: { authorization: `Bearer ${this.token}` } });
  }

  /** All that an answer tells, for what must or must not be in it. */
  async text(path: string): Promise<string> {
    return JSON.stringify((await this.get(path)).body);
  }

  post(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send(path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body: encodeForm(fields),
    });
  }

  /** Signs in by the form, and resolves with what a browser would then send and keep. */
  async signIn(): Promise<{ cookie: string; proof: string; reply: Reply }> {
    const reply = await this.send('/ops/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: encodeForm({ token: this.token ?? '' }),
    });
    const pairs = (reply.headers['set-cookie'] ?? []).map((text) => text.split(';')[0] ?? '');
    const proof = pairs.find((pair) => pair.startsWith('XSRF-TOKEN='))?.split('=')[1] ?? '';
    return { cookie: pairs.join('; '), proof, reply };
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.world.stop();
  }
}
