import { Injectable } from '@nestjs/common';
import { PushRevocations } from '#push/revocations';
import type { Stop } from '../realms/push-status.rules.js';
import { ServerOperationsRepository, type ServerOverview } from './server-operations.repository.js';

/** Stops and starts servers and organisations. What was accepted before a stop and is not sent yet is revoked. */
@Injectable()
export class ServerOperationsService {
  constructor(
    private readonly operations: ServerOperationsRepository,
    private readonly revocations: PushRevocations,
  ) {}

  /** Stops a server from a time on, and revokes what it sent and is not delivered yet. Null members start it again. */
  async stop(server: ServerOverview, stop: Stop): Promise<void> {
    await this.operations.stop(server, stop);
    if (stop.stoppedFrom !== null) await this.revocations.revokeSender('server', server.id);
  }

  /** The same for an organisation. Resolves with false for an unknown one. */
  async stopRealm(uuid: string, stop: Stop): Promise<boolean> {
    const realmId = await this.operations.stopRealm(uuid, stop);
    if (realmId !== null && stop.stoppedFrom !== null) {
      await this.revocations.revokeSender('realm', realmId);
    }
    return realmId !== null;
  }
}
