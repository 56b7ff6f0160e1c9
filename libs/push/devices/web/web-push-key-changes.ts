import { Injectable } from '@nestjs/common';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { WebPushKeys } from '#push/providers';

const REALMS = 'SELECT id FROM realms WHERE deactivated_at IS NULL ORDER BY id';

/** Tells the clients of all organisations of a new public key for subscriptions of Web Push. */
@Injectable()
export class WebPushKeyChanges {
  constructor(
    private readonly keys: WebPushKeys,
    private readonly log: EventLog,
  ) {}

  /** Adds the events of the present key to the transaction that has changed it. */
  async append(transaction: Transaction): Promise<void> {
    const current = await this.keys.current(transaction);
    const realms = await transaction.query<{ id: number }>('realms_with_web_push', REALMS);
    for (const { id: realmId } of realms) {
      this.log.append(transaction, {
        realmId,
        type: 'realm',
        body: {
          op: 'update',
          property: 'server_web_push_public_key',
          value: current?.publicKey ?? null,
        },
        audience: { everyone: 'all' },
      });
    }
  }
}
