import type { PresenceService } from '#presence/rpc';
import { PresenceServer } from '#presence/server';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { startGateway } from './start-gateway.js';
import { startPresence } from './start-presence.js';
import type { System } from './start-system.js';

const HOST = '127.0.0.1';

/** The offline threshold. */
export const OFFLINE_SECONDS = 300;

/** A gateway whose presence program is unavailable until a test starts it. */
export class PresenceGateway {
  private constructor(
    readonly system: System,
    private readonly port: number,
  ) {}

  /** Starts a gateway; `deadlineMs` is the deadline of its calls to the presence program. */
  static async start(deadlineMs: number): Promise<PresenceGateway> {
    const [port = 0] = await freePorts(1);
    const system = await startGateway({
      PRESENCE_ADDRESSES: `${HOST}:${port}`,
      PRESENCE_DEADLINE_MS: String(deadlineMs),
      PRESENCE_OFFLINE_SECONDS: String(OFFLINE_SECONDS),
    });
    return new PresenceGateway(system, port);
  }

  /** Starts presence in the process of the test; resolves when the gateway is connected. */
  async bringPresence(limitsAccess = true): Promise<PresenceService> {
    const { system } = this;
    const runtime = await startPresence(system.database.database, {
      redisUrl: system.environmentOf('presence')['REDIS_URL'] ?? '',
      limitsAccess,
    });
    const secret = Buffer.from(system.environmentOf('presence')['PRESENCE_SECRET'] ?? '', 'base64');
    const server = new PresenceServer(runtime.service, runtime.counters, secret);
    await server.listen({ host: HOST, port: this.port });
    system.beforeStop(async () => {
      await server.close();
      await runtime.stop();
    });
    const alice = system.api('alice');
    await eventually(async () => {
      const { body } = await alice.post('/users/me/presence', { status: 'active' });
      if (JSON.stringify(body['presences']) === '{}')
        throw new Error('Presence is still unavailable.');
    });
    return runtime.service;
  }

  stop(): Promise<void> {
    return this.system.stop();
  }
}
