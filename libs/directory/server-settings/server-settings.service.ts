import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import {
  type RealmProfile,
  realmProfileOf,
  RealmRepository,
  subdomainOfHost,
} from '#directory/realms';
import { ApiError, signInErrors } from '#platform/contracts';
import { PUSH_AVAILABILITY, type PushAvailability } from './push-availability.js';

/** The information about the server for clients before the sign-in. */
export interface ServerSettings {
  /** Null for the root host of a server without a root organisation. */
  readonly realm: RealmProfile | null;
  readonly isPushConfigured: boolean;
}

/** Describes the server to clients before the sign-in. */
@Injectable()
export class ServerSettingsService {
  constructor(
    private readonly realms: RealmRepository,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
    @Inject(PUSH_AVAILABILITY) private readonly push: PushAvailability,
  ) {}

  /** The settings for a `Host` header. Rejects with `unknownSubdomain` if it belongs to no organisation. */
  async describe(host: string): Promise<ServerSettings> {
    const subdomain = subdomainOfHost(host, this.externalUrl);
    if (subdomain === null) throw new ApiError(signInErrors.unknownSubdomain);
    const realm = await this.realms.findBySubdomain(subdomain);
    if (realm === null && subdomain !== '') throw new ApiError(signInErrors.unknownSubdomain);
    return {
      realm: realm === null ? null : realmProfileOf(realm, this.externalUrl),
      isPushConfigured: await this.push.isConfigured(),
    };
  }
}
