import { Injectable } from '@nestjs/common';
import {
  lockRealm,
  type RealmPermission,
  realmPermissionDefaults,
  SystemGroupRepository,
  UserGroupEvents,
} from '#directory/groups';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { renderMarkdown } from '#platform/markdown';
import type { OperatorChange } from './operator-settings.rules.js';
import { RealmPermissionsService } from './realm-permissions.service.js';
import { type OperatorColumn, operatorColumns, RealmRepository } from './realm.repository.js';

// Object.keys loses the type of the keys.
const realmPermissions = Object.keys(realmPermissionDefaults) as RealmPermission[];

/** The settings of organisations themselves. */
@Injectable()
export class OperatorSettingsService {
  constructor(
    private readonly realms: RealmRepository,
    private readonly permissions: RealmPermissionsService,
    private readonly systemGroups: SystemGroupRepository,
    private readonly groups: UserGroupEvents,
    private readonly log: EventLog,
  ) {}

  /** Changes settings, with their events. Rejects with ApiError for holders that cannot have a permission. */
  async change(transaction: Transaction, realmId: number, change: OperatorChange): Promise<void> {
    for (const permission of realmPermissions) {
      const given = change[permission];
      if (given !== undefined)
        await this.permissions.change(transaction, realmId, permission, given);
    }
    for (const setting of operatorColumns) {
      const value = change[setting];
      if (value !== undefined) await this.#set(transaction, realmId, setting, value);
    }
    const { domains } = change;
    // No state and no event has them.
    if (domains !== undefined) await this.realms.replaceEmailDomains(transaction, realmId, domains);
  }

  async #set(
    transaction: Transaction,
    realmId: number,
    setting: OperatorColumn,
    value: unknown,
  ): Promise<void> {
    const set = async () => {
      if (!(await this.realms.set(transaction, realmId, setting, value))) return;
      const body = bodyOf(setting, value);
      this.log.append(transaction, { realmId, type: 'realm', body, audience: { everyone: 'all' } });
    };
    if (setting !== 'waiting_period_threshold') return set();
    // The full members are other ones, and so are the accounts that see the channels of their group.
    await lockRealm(transaction, realmId);
    const { 'role:fullmembers': groupId, 'role:members': membersId } =
      await this.systemGroups.idsOf(realmId, transaction);
    const concerned = { userIds: [], membersOf: [membersId] };
    await this.groups.duringMembershipChange(transaction, { realmId, groupId, concerned }, set);
  }
}

const bodyOf = (setting: OperatorColumn, value: unknown): object => {
  const data = dataOf(setting, value);
  return data === null
    ? { op: 'update', property: setting, value }
    : { op: 'update_dict', property: 'default', data };
};

/** The members of a setting that clients know in two forms; null for one with a single form. */
function dataOf(setting: OperatorColumn, value: unknown): object | null {
  switch (setting) {
    case 'topics_policy':
      return { topics_policy: value, mandatory_topics: value === 'disable_empty_topic' };
    case 'description':
      return { description: value, rendered_description: renderMarkdown(String(value)).html };
    default:
      return null;
  }
}
