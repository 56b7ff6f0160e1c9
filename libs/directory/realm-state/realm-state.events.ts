import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import {
  GroupSettingRepository,
  type RealmPermission,
  realmPermissionDefaults,
  resolvePermissions,
  SystemGroupRepository,
} from '#directory/groups';
import { realmProfileOf } from '#directory/realms';
import { PUSH_AVAILABILITY, type PushAvailability } from '#directory/server-settings';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import type { Session } from '#platform/database';
import { constantFields } from './constant-fields.js';
import { REALM_STATE_OPTIONS, type RealmStateOptions } from './realm-state.options.js';
import { type RealmState, RealmStateRepository } from './realm-state.repository.js';
import {
  toOptionsResponse,
  toPermissionsResponse,
  toRealmResponse,
} from './realm-state.response.js';

/**
 * The organisation and the server in `POST /register`. It has no events of its own: other capabilities add the members that
 * they own, under the same fetch type, and the events of the members that endpoints change. `RealmsService` adds the events
 * of the members that operators change. The configuration of a server changes only at a restart, of which clients learn
 * when they register.
 */
@Injectable()
@DeclaresEvents()
export class RealmStateEvents implements CapabilityEvents {
  readonly types = [{ type: 'realm' }];
  readonly fetchTypes = ['realm'];

  constructor(
    private readonly realms: RealmStateRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly groupSettings: GroupSettingRepository,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
    @Inject(PUSH_AVAILABILITY) private readonly push: PushAvailability,
    @Inject(REALM_STATE_OPTIONS) private readonly options: RealmStateOptions,
  ) {}

  async readState({ caller, snapshot }: StateRequest): Promise<Readonly<Record<string, unknown>>> {
    const realm = await this.realms.read(caller.realm.id, snapshot);
    const push = await this.push.ofRealm(caller.realm.id, snapshot);
    return {
      ...constantFields,
      ...toOptionsResponse(this.options),
      ...toRealmResponse(realm, realmProfileOf(realm, this.externalUrl), this.externalUrl),
      ...(await this.#permissions(caller.realm.id, realm, snapshot)),
      realm_push_notifications_enabled: push.isEnabled,
      realm_push_notifications_enabled_end_timestamp:
        push.endsAt === null ? null : Math.floor(push.endsAt.getTime() / 1000),
    };
  }

  async #permissions(realmId: number, realm: RealmState, snapshot: Session) {
    const systemGroups = await this.systemGroups.idsOf(realmId, snapshot);
    const permissions = resolvePermissions<RealmPermission>(
      realmPermissionDefaults,
      realm,
      systemGroups,
    );
    const values = await this.groupSettings.valuesOf(Object.values(permissions), snapshot);
    return toPermissionsResponse(permissions, values, systemGroups);
  }
}
