import { Body, Get, HttpCode, NotFoundException, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import {
  type RealmOverview,
  ServerOperationsRepository,
  ServerOperationsService,
  type ServerOverview,
  type StateCount,
  type StopChange,
} from '#push/tenants';
import { limitedNumber, OpsController } from './ops-controller.js';

const MAX_LISTED = 200;
const MAX_CHARACTERS = 500;
const MAX_CALLS = 10_000_000;
const MAX_DEVICES = 100_000_000;
/** 9999-12-31. */
const LAST_TIME = 253_402_214_400_000;
const ONE_OF_TWO = 'expected exactly one of server and organisation';

const listed = z.strictObject({ host: z.string().max(MAX_CHARACTERS).default('') });
type Listed = z.infer<typeof listed>;

const named = z.strictObject({ server: z.string().min(1) });

/** Empty for the configured limit. */
const limit = (most: number) =>
  z.union([z.literal('').transform(() => null), limitedNumber(most)], {
    error: `expected a number from 1 to ${most}, or nothing`,
  });

/** All limits of a server. */
const limited = z.strictObject({
  server: z.string().min(1),
  requests: limit(MAX_CALLS),
  pushes: limit(MAX_CALLS),
  devices: limit(MAX_DEVICES),
});
type Limited = z.infer<typeof limited>;

/** A server by its id or host, or one of its organisations by its UUID. `at`: as of then, in UNIX milliseconds. */
const stopped = z
  .strictObject({
    server: z.string().min(1).optional(),
    organisation: z.string().min(1).optional(),
    reason: z.string().max(MAX_CHARACTERS).optional(),
    at: limitedNumber(LAST_TIME).optional(),
  })
  .refine(({ server, organisation }) => (server === undefined) !== (organisation === undefined), {
    message: ONE_OF_TWO,
  });
type Stopped = z.infer<typeof stopped>;

/** Lists, limits, stops and starts the servers that notify through this push service. */
@OpsController('ops/api/servers')
export class ServersController {
  constructor(
    private readonly servers: ServerOperationsRepository,
    private readonly operations: ServerOperationsService,
  ) {}

  /** Those whose hosts begin with `host`, the last seen first. */
  @Get()
  async list(@Query({ schema: listed }) { host }: Listed) {
    const servers = await this.servers.list(MAX_LISTED, host);
    return { servers: servers.map(serverFields), most: MAX_LISTED };
  }

  /** A server with its organisations, and the count of its deliveries of the last day by their state. */
  @Get('details')
  async details(@Query({ schema: named }) { server: name }: z.infer<typeof named>) {
    const server = await this.#find(name);
    const [realms, counts] = await Promise.all([
      this.servers.realmsOf(server),
      this.servers.countsOf(server),
    ]);
    return { organisations: realms.map(realmFields), deliveries: counts.map(countFields) };
  }

  @Post('limit')
  @HttpCode(200)
  async limit(@Body({ schema: limited }) { server, requests, pushes, devices }: Limited) {
    await this.servers.setLimits(await this.#find(server), {
      requestLimit: requests,
      pushLimit: pushes,
      deviceLimit: devices,
    });
    return {};
  }

  /** Refuses the notifications from now on, or from a time on; the server gets the reason. */
  @Post('stop')
  @HttpCode(200)
  async stop(@Body({ schema: stopped }) { reason, at, ...target }: Stopped) {
    const from = at === undefined ? 'now' : new Date(at);
    await this.#change(target, { from, reason: reason || null });
    return {};
  }

  @Post('start')
  @HttpCode(200)
  async start(@Body({ schema: stopped }) target: Stopped) {
    await this.#change(target, { from: null, reason: null });
    return {};
  }

  async #change({ server, organisation }: Stopped, change: StopChange): Promise<void> {
    if (server !== undefined) await this.operations.stop(await this.#find(server), change);
    else if (!(await this.operations.stopRealm(organisation ?? '', change))) {
      throw new NotFoundException('There is no such organisation.');
    }
  }

  async #find(name: string): Promise<ServerOverview> {
    const server = await this.servers.find(name);
    if (server === null) throw new NotFoundException('There is no such server.');
    return server;
  }
}

const timeOf = (time: Date | null): number | null => (time === null ? null : +time);

const serverFields = (server: ServerOverview) => ({
  id: server.uuid,
  host: server.hostname,
  version: server.version,
  registeredAt: timeOf(server.createdAt),
  seenAt: timeOf(server.seenAt),
  deactivatedAt: timeOf(server.deactivatedAt),
  stoppedFrom: timeOf(server.stoppedFrom),
  stopReason: server.stopReason,
  requestsPerMinute: server.requestLimit,
  pushesPerSecond: server.pushLimit,
  mostPhones: server.deviceLimit,
  organisations: server.realms,
  phones: server.devices,
});

const realmFields = (realm: RealmOverview) => ({
  id: realm.uuid,
  host: realm.host,
  name: realm.name,
  deletedAt: timeOf(realm.locallyDeletedAt),
  stoppedFrom: timeOf(realm.stoppedFrom),
  stopReason: realm.stopReason,
  phones: realm.devices,
});

const countFields = ({ platform, state, deliveries }: StateCount) => ({
  platform,
  state,
  deliveries,
});
