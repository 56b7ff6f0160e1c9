import { freePorts } from '../../test/support/free-ports.js';
import { startEventsLimit } from '../limits/events-limit.js';
import type { LimitServer } from '../limits/limit-server.js';
import { CAPABILITIES, type EventCrowdPlan } from '../load/event-crowd.js';
import { type EventLoad, gatherEventLoad } from '../load/event-load.js';
import { FormRequest } from '../load/form-request.js';
import { HttpConnection } from '../load/http-connection.js';
import type { Special } from '../processes/our-programs.js';
import { type BenchRealm, type BenchUser, createRealm } from '../world/bench-world.js';
import type { Bench } from './scenario.js';

/** Ten thousand connections from one address, which stay open for the run; polls are not limited. */
const manyConnections = (metricsPort: number): Special['environment'] => ({
  GATEWAY_METRICS_PORT: String(metricsPort),
  HTTP_MAX_CONNECTIONS: '50000',
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: '50000',
  HTTP_KEEP_ALIVE_SECONDS: '3600',
  RATE_LIMIT_EVENT_QUEUE: '60:1000000000',
});

export interface EventsPlan {
  readonly name: string;
  readonly subdomain: string;
  readonly users: number;
  /** The clients that poll. */
  readonly polling: number;
}

/** The same clients at Carillon and at the reference server. */
export interface EventsWorld {
  readonly ours: EventLoad;
  readonly limit: EventLoad;
  readonly limitServer: LimitServer;
  /** The length of the state in bytes. */
  readonly stateBytes: number;
}

/** An organisation behind a gateway with room for many connections. */
interface OurEventsWorld {
  readonly realm: BenchRealm;
  readonly gather: (plan: Pick<EventCrowdPlan, 'polling' | 'eventType'>) => Promise<EventLoad>;
}

/** Runs the work with the clients registered at a gateway and at the reference server. */
export async function inEventsWorld<Result>(
  bench: Bench,
  plan: EventsPlan,
  measure: (world: EventsWorld) => Promise<Result>,
): Promise<Result> {
  return inOurEventsWorld(bench, plan, {}, async ({ realm, gather }) => {
    const { host, users } = realm;
    const subscribers = users.map(({ userId }) => userId);
    await bench.world.createChannel(realm.id, 'general', subscribers);
    const state = await registeredState(bench.programs.gatewayPort, host, users);
    const limitServer = await startEventsLimit(bench.place, { users, state });
    const { port } = limitServer;
    const crowd = { polling: plan.polling, eventType: 'user_status' } as const;
    const loads = await bench.progress.step(`${plan.name}: ${plan.polling} clients`, async () => ({
      ours: await gather(crowd),
      limit: await gatherEventLoad(bench.place, {
        ...crowd,
        host,
        users,
        port,
        metricsUrl: `http://127.0.0.1:${port}/metrics`,
      }),
    }));
    const { ours, limit } = loads;
    try {
      const world = { ours, limit, limitServer, stateBytes: Buffer.byteLength(state) };
      return await bench.progress.step(`${plan.name}: rounds`, () => measure(world));
    } finally {
      await Promise.all([ours.stop(), limit.stop(), limitServer.stop()]);
    }
  });
}

/** Runs the work with a gateway with room for many connections and a new organisation. */
export async function inOurEventsWorld<Result>(
  { place, programs, progress, world }: Bench,
  plan: EventsPlan,
  { environment = {}, nodeArgs = [] }: Special,
  measure: (world: OurEventsWorld) => Promise<Result>,
): Promise<Result> {
  await programs.stopOne('api-gateway');
  const [metricsPort = 0] = await freePorts(1);
  const port = programs.gatewayPort;
  await programs.start('api-gateway', {
    nodeArgs,
    environment: { ...manyConnections(metricsPort), ...environment },
  });
  try {
    const realm = await progress.step(`${plan.name}: ${plan.users} accounts`, () =>
      createRealm(world, plan.subdomain, plan.users),
    );
    const { host, users } = realm;
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    const gather: OurEventsWorld['gather'] = (crowd) =>
      gatherEventLoad(place, { host, users, port, metricsUrl, ...crowd });
    return await measure({ realm, gather });
  } finally {
    // The next scenario starts the gateway with its own settings.
    await programs.stopOne('api-gateway');
  }
}

/** The state that the reference server returns. */
async function registeredState(port: number, host: string, [user]: readonly BenchUser[]) {
  if (user === undefined) throw new Error('There are no users.');
  const connection = await HttpConnection.open(port);
  const request = new FormRequest(host, '/register', user).with(CAPABILITIES);
  const { status, body } = await connection.exchange(request);
  connection.close();
  if (status !== 200) throw new Error(`Registered with ${status}: ${body}`);
  return Buffer.from(body, 'latin1').toString();
}
