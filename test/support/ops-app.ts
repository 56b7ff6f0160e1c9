import { randomUUID } from 'node:crypto';
import { ConsoleLogger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { UserRepository } from '#directory/users';
import { DatabaseModule } from '#platform/database';
import { buildEdge, createEdgeAdapter } from '#platform/http';
import { QueueModule } from '#platform/queue';
import { RateLimitsModule } from '#platform/rate-limits';
import { RedisModule } from '#platform/redis';
import { PushOperatorModule } from '#push/admin';
import { OpsModule, serveOps } from '#push/admin/endpoints';
import { pushJobs } from '#push/jobs';
import { PushActivityStore, PushObserveModule } from '#push/observability';
import { encodeForm, type Fields } from '#test/api-client';
import { eventually } from '#test/eventually';
import { type OutgoingRequest, type Reply, sendRequest } from '#test/http-request';
import { testRedisUrl } from '#test/test-stores';
import { OperatedWorld, type WorldDevice } from '#test/push-operate-world';

/** An address from a network without failed sign-ins. */
export const anAddress = () =>
  `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1`;

interface OpsAppOptions {
  /** Null disables the page. */
  readonly token?: string | null;
  readonly externalUrl?: string;
  readonly redisUrl?: string;
}

@Module({ providers: [UserRepository], exports: [UserRepository] })
class AccountsModule {}

/** The ops page without the other modules, on a ledger that a test fills; no worker runs. */
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
    const options = { token: token ?? undefined, externalUrl };
    @Module({
      imports: [
        DatabaseModule.connect({ url: world.databaseUrl, poolSize: 3 }),
        RedisModule.connect(redisUrl),
        QueueModule.connect([redisUrl], pushJobs, prefix),
        OpsModule.with({
          ...options,
          imports: [
            PushObserveModule,
            AccountsModule,
            PushOperatorModule.with(),
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
    await buildEdge(app, { routes: [() => serveOps(app, options)] });
    await app.listen(0, '127.0.0.1');
    const activity = app.get(PushActivityStore);
    // The connections to Redis open in the background.
    await eventually(() => activity.workers.recent(Date.now()));
    return new OpsApp(world, await app.getUrl(), activity, app, token);
  }

  /** An iPhone of a new account. */
  async addPhone(email?: string): Promise<WorldDevice> {
    const { id } = await this.world.addPerson(email);
    return this.world.addDevice(id, 'apns');
  }

  /** Sends a request unchanged, from a new address unless the headers contain one. */
  send(path: string, { headers, ...request }: OutgoingRequest = {}): Promise<Reply> {
    return sendRequest(`${this.url}${path}`, {
      ...request,
      headers: { 'x-forwarded-for': anAddress(), ...headers },
    });
  }

  /** Sends a request of a script with the operator token. */
  get(path: string): Promise<Reply> {
    return this.send(path, { headers: { authorization: `Bearer ${this.token}` } });
  }

  /** The response body as text, to search for secrets. */
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

  /** Signs in with the form; resolves with the cookies and the XSRF token that a browser would then have. */
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
