import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { GroupUsesRepository } from './group-uses.repository.js';
import { MEMBERSHIP_HOOK, type MembershipHook } from './membership-hook.js';

/** A use of a group that keeps it from being deactivated, in the format of the API. */
type GroupUse =
  | { readonly type: 'subgroup'; readonly supergroup_ids: readonly number[] }
  | { readonly type: 'user_group'; readonly group_id: number; readonly settings: readonly string[] }
  | { readonly type: 'channel'; readonly channel_id: number; readonly settings: readonly string[] }
  | { readonly type: 'realm'; readonly settings: readonly string[] };

/** Finds the uses of a group. */
@Injectable()
export class GroupUsesService {
  constructor(
    private readonly uses: GroupUsesRepository,
    @Optional() @Inject(MEMBERSHIP_HOOK) private readonly hook: MembershipHook | null = null,
  ) {}

  /** The supergroups of a group, and the permissions that it holds, alone or with others. */
  async of(transaction: Transaction, realmId: number, groupId: number): Promise<GroupUse[]> {
    const holderIds = await this.uses.holdersWith(transaction, groupId);
    const supergroups = await this.uses.supergroupsOf(transaction, groupId);
    const groups = await this.uses.groupSettings(transaction, realmId, holderIds, groupId);
    const channels = (await this.hook?.permissionsOf(transaction, realmId, holderIds)) ?? [];
    const realm = await this.uses.realmSettings(transaction, realmId, holderIds);
    return [
      ...(supergroups.length === 0
        ? []
        : [{ type: 'subgroup' as const, supergroup_ids: supergroups }]),
      ...groups.map(({ id, settings }) => ({
        type: 'user_group' as const,
        group_id: id,
        settings,
      })),
      ...channels.map(({ id, settings }) => ({
        type: 'channel' as const,
        channel_id: id,
        settings,
      })),
      ...(realm.length === 0 ? [] : [{ type: 'realm' as const, settings: realm }]),
    ];
  }
}
