import { Inject, Injectable } from '@nestjs/common';
import { isGuest } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import type { PresenceViewer } from '#presence/rpc';
import { realmHost } from '#platform/core';

/** DI token of the external URL of the server. */
export const SERVER_URL = Symbol('ServerUrl');

/** Maps callers to viewers of presence. */
@Injectable()
export class PresenceViewers {
  constructor(@Inject(SERVER_URL) private readonly serverUrl: URL) {}

  of({ realm, userId, role }: Caller): PresenceViewer {
    if (!isGuest(role)) return { realmId: realm.id, userId, isGuest: false };
    const substituteHost = realmHost(this.serverUrl, realm.subdomain);
    return { realmId: realm.id, userId, isGuest: true, substituteHost };
  }
}
