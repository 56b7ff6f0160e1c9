import { freePorts } from '../../test/support/free-ports.js';
import { startEventsLimit } from '../limits/events-limit.js';
import type { LimitServer } from '../limits/limit-server.js';
import { CAPABILITIES } from '../load/event-crowd.js';
import { EventLoad } from '../load/event-load.js';
import { FormRequest } from '../load/form-request.js';
import { HttpConnection } from '../load/http-connection.js';
import type { Special } from '../processes/our-programs.js';
import { type BenchUser, createRealm } from '../world/bench-world.js';
import type { Bench } from './scenario.js';

/** Ten thousand connections from one address, which stay open for the run; polls are not limited. */
const manyConnections = (metricsPort: number): Special => ({
  environment: {
    GATEWAY_METRICS_PORT: String(metricsPort),
    HTTP_MAX_CONNECTIONS: '50000',
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: '50000',
    HTTP_KEEP_ALIVE_SECONDS: '3600',
    RATE_LIMIT_EVENT_QUEUE: '60:1000000000',
  },
});

interface EventsPlan {
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
  readonly stop: () => Promise<void>;
}

/** Starts a gateway and the reference server, and registers the clients at both. */
export async function openEventsWorld(bench: Bench, plan: EventsPlan): Promise<EventsWorld> {
  const { place, programs, progress, world } = bench;
  return progress.step(
    `${plan.name}: ${plan.users} accounts, ${plan.polling} clients`,
    async () => {
      await programs.stopOne('api-gateway');
      const [metricsPort = 0] = await freePorts(1);
      await programs.start('api-gateway', manyConnections(metricsPort));
      const { id, host, users } = await createRealm(world, plan.subdomain, plan.users);
      const subscribers = users.map(({ userId }) => userId);
      await world.createChannel(id, 'general', subscribers);
      const port = programs.gatewayPort;
      const state = await registeredState(port, host, users);
      const limitServer = await startEventsLimit(place, { users, state });
      const crowd = { host, users, polling: plan.polling };
      const ours = await EventLoad.gather(place, {
        ...crowd,
        port,
        metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      });
      const limit = await EventLoad.gather(place, {
        ...crowd,
        port: limitServer.port,
        metricsUrl: `http://127.0.0.1:${limitServer.port}/metrics`,
      });
      const stop = async () => {
        await Promise.all([ours.stop(), limit.stop(), limitServer.stop()]);
        // The next scenario starts the gateway with its own settings.
        await programs.stopOne('api-gateway');
      };
      return { ours, limit, limitServer, stateBytes: Buffer.byteLength(state), stop };
    },
  );
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
