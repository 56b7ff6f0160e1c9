import { Injectable } from '@nestjs/common';
import type { Stop } from '../realms/push-status.rules.js';
import { ServerOperationsRepository, type ServerOverview } from './server-operations.repository.js';
import { ServerStops } from './server-stops.js';

/** Stops and starts servers and organisations. What was accepted before a stop and is not sent yet is revoked. */
@Injectable()
export class ServerOperationsService {
  constructor(
    private readonly operations: ServerOperationsRepository,
    private readonly stops: ServerStops,
  ) {}

  /** Sets the end of the permission to notify; null members permit it again. */
  async stop(server: ServerOverview, stop: Stop): Promise<void> {
    await this.operations.stop(server, stop);
    if (stop.stoppedFrom !== null) await this.stops.announce('server', server.id);
  }

  /** The same for an organisation; false for an unknown one. */
  async stopRealm(uuid: string, stop: Stop): Promise<boolean> {
    const realmId = await this.operations.stopRealm(uuid, stop);
    if (realmId !== null && stop.stoppedFrom !== null) await this.stops.announce('realm', realmId);
    return realmId !== null;
  }
}
