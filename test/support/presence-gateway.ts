import type { PresenceService } from '#contracts';
import { PresenceServer } from '#presence';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { startGateway } from './start-gateway.js';
import { startPresence } from './start-presence.js';
import type { System } from './start-system.js';

const HOST = '127.0.0.1';

/** Who was last seen longer ago is offline. */
export const OFFLINE_SECONDS = 300;

/** A gateway whose presence program is away until a test has it come. */
export class PresenceGateway {
  private constructor(
    readonly system: System,
    private readonly port: number,
  ) {}

  /** It waits so long for the presence program at most. */
  static async start(deadlineMs: number): Promise<PresenceGateway> {
    const [port = 0] = await freePorts(1);
    const system = await startGateway({
      PRESENCE_ADDRESSES: `${HOST}:${port}`,
      PRESENCE_DEADLINE_MS: String(deadlineMs),
      PRESENCE_OFFLINE_SECONDS: String(OFFLINE_SECONDS),
    });
    return new PresenceGateway(system, port);
  }

  /** Has presence come, in the test's own process; resolves when the gateway has found it. */
  async bringPresence(): Promise<PresenceService> {
    const { system } = this;
    const runtime = await startPresence(system.database.database, {
      redisUrl: system.environmentOf('presence')['REDIS_URL'] ?? '',
      limitsAccess: true,
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
      if (JSON.stringify(body['presences']) === '{}') throw new Error('Presence is still away.');
    });
    return runtime.service;
  }

  stop(): Promise<void> {
    return this.system.stop();
  }
}
