import { Injectable } from '@nestjs/common';
import type { PushAvailability, RealmPush } from '#directory/server-settings';
import type { Session } from '#platform/database';
import { RealmPushStatuses } from './realm-push-statuses.js';

/** On a server that relays: whether notifications can reach devices, by the answers of the push service. */
@Injectable()
export class RelayedPushAvailability implements PushAvailability {
  constructor(private readonly statuses: RealmPushStatuses) {}

  isConfigured(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** False before the first answer of the service about the organisation. */
  async ofRealm(realmId: number, snapshot: Session): Promise<RealmPush> {
    const status = await this.statuses.read(realmId, snapshot);
    return { isEnabled: status?.canPush ?? false, endsAt: status?.endsAt ?? null };
  }
}
