import { Inject, Injectable } from '@nestjs/common';
import type { PushAvailability, RealmPush } from '#directory/server-settings';
import type { Session } from '#platform/database';
import { ConfiguredProviders } from '#push/observability';
import { RealmPushStatuses, RELAY_SETTINGS, type RelaySettings } from '#push/relay';

/** Whether notifications can reach phones: by the credentials of the workers, or by the answers of the push service. */
@Injectable()
export class RealmPushAvailability implements PushAvailability {
  constructor(
    private readonly providers: ConfiguredProviders,
    private readonly statuses: RealmPushStatuses,
    @Inject(RELAY_SETTINGS) private readonly relay: RelaySettings | null,
  ) {}

  /** Whether the server can send notifications at all. */
  isConfigured(): Promise<boolean> {
    return this.relay === null ? this.providers.isConfigured() : Promise.resolve(true);
  }

  /** The same for an organisation, with the announced end. */
  async ofRealm(realmId: number, snapshot: Session): Promise<RealmPush> {
    if (this.relay === null) return { isEnabled: await this.isConfigured(), endsAt: null };
    const status = await this.statuses.read(realmId, snapshot);
    return { isEnabled: status?.canPush ?? false, endsAt: status?.endsAt ?? null };
  }
}
