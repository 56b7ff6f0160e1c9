import { Injectable } from '@nestjs/common';
import type { PushAvailability, RealmPush } from '#directory/server-settings';
import { ConfiguredProviders } from '#push/observability';

/** Whether notifications can reach devices, by the credentials of the workers. */
@Injectable()
export class ConfiguredPushAvailability implements PushAvailability {
  constructor(private readonly providers: ConfiguredProviders) {}

  isConfigured(): Promise<boolean> {
    return this.providers.isConfigured();
  }

  /** The same for all organisations. */
  async ofRealm(): Promise<RealmPush> {
    return { isEnabled: await this.isConfigured(), endsAt: null };
  }
}
