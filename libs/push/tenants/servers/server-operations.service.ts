import { Injectable } from '@nestjs/common';
import { PushRevocations } from '#push/revocations';
import {
  ServerOperationsRepository,
  type ServerOverview,
  type StopChange,
} from './server-operations.repository.js';

/** Stops and starts servers and organisations. What was accepted before a stop and is not sent yet is revoked. */
@Injectable()
export class ServerOperationsService {
  constructor(
    private readonly operations: ServerOperationsRepository,
    private readonly revocations: PushRevocations,
  ) {}

  /** Stops a server from a time on, and revokes its undelivered notifications; or starts the server again. */
  async stop(server: ServerOverview, change: StopChange): Promise<void> {
    await this.operations.stop(server, change);
    if (change.from !== null) await this.revocations.revokeSender('server', server.id);
  }

  /** The same for an organisation. Resolves with false for an unknown one. */
  async stopRealm(uuid: string, change: StopChange): Promise<boolean> {
    const realmId = await this.operations.stopRealm(uuid, change);
    if (realmId !== null && change.from !== null) {
      await this.revocations.revokeSender('realm', realmId);
    }
    return realmId !== null;
  }
}
