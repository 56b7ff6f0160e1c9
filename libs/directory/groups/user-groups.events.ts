import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  type CapabilityEvents,
  DeclaresEvents,
  type EventType,
  isCapable,
  type StateRequest,
} from '#events/declarations';
import { type Audience, EventLog, type NewEvent } from '#events/log';
import { mapInSlices } from '#platform/core';
import type { Transaction } from '#platform/database';
import {
  AccountGroupsRepository,
  type GroupOfAccounts,
  type SettingGroups,
} from './account-groups.repository.js';
import type { ListChange } from './group-authority.rules.js';
import { GUEST_ACCESS_HOOK, type GuestAccessHook } from './guest-access-hook.js';
import { GroupSettingRepository, type GroupSettingValues } from './group-setting.repository.js';
import { type ConcernedAccounts, MEMBERSHIP_HOOK, type MembershipHook } from './membership-hook.js';
import { toUserGroupResponse } from './user-groups.response.js';
import { UserGroupsService } from './user-groups.service.js';

interface ChangedGroup {
  readonly realmId: number;
  readonly groupId: number;
  readonly isDeactivated: boolean;
}

/** A change of the members or subgroups of a group. */
interface GroupMembershipChange {
  readonly realmId: number;
  readonly groupId: number;
  readonly concerned: ConcernedAccounts;
}

/** Groups are shared for this time at most. */
const SHARED_MS = 600_000;

/**
 * Clients that do not list deactivated groups get no events of them: a deactivated group is removed for them, and a
 * reactivated one is new.
 */
const userGroupEvent: EventType = {
  type: 'user_group',
  formsOf: ({ is_group_deactivated: isDeactivated, ...event }, options) => {
    const listsDeactivated = isCapable(options, 'include_deactivated_groups');
    const { op, group_id, group } = event;
    if (op === 'deactivate') {
      return listsDeactivated
        ? [{ op: 'update', group_id, data: { deactivated: true } }]
        : [{ op: 'remove', group_id }];
    }
    if (op === 'reactivate') {
      return listsDeactivated
        ? [{ op: 'update', group_id, data: { deactivated: false } }]
        : [{ op: 'add', group }];
    }
    return isDeactivated === true && !listsDeactivated ? [] : [event];
  },
};

/** The user groups of `POST /register`, and the events of their changes. All accounts get them. */
@Injectable()
@DeclaresEvents()
export class UserGroupEvents implements CapabilityEvents {
  readonly types = [userGroupEvent];
  readonly fetchTypes = ['realm_user_groups'];

  constructor(
    private readonly groups: UserGroupsService,
    private readonly accounts: AccountGroupsRepository,
    private readonly settings: GroupSettingRepository,
    private readonly log: EventLog,
    @Optional() @Inject(MEMBERSHIP_HOOK) private readonly hook: MembershipHook | null = null,
    @Optional() @Inject(GUEST_ACCESS_HOOK) private readonly guests: GuestAccessHook | null = null,
  ) {}

  readState({ caller, snapshot, options, share }: StateRequest) {
    const withDeactivated = isCapable(options, 'include_deactivated_groups');
    // Full members join their group with time alone, without an event. A new waiting period is an event of the organisation.
    const period = Math.floor(Date.now() / SHARED_MS);
    return share({
      key: `groups ${withDeactivated} ${period}`,
      // Deactivated accounts are not members.
      changedBy: [userGroupEvent.type, 'realm_user', 'realm'],
      read: async () => {
        const groups = await this.groups.list(caller.realm.id, withDeactivated, snapshot);
        return { realm_user_groups: await mapInSlices(groups, toUserGroupResponse) };
      },
    });
  }

  /** Adds the event of a new group. */
  async created(transaction: Transaction, realmId: number, groupId: number): Promise<void> {
    const group = toUserGroupResponse(await this.groups.one(realmId, groupId, transaction));
    this.#append(transaction, { realmId, groupId, isDeactivated: false }, { op: 'add', group });
  }

  /** Adds the event of new values of a group; none without a value. */
  updated(transaction: Transaction, group: ChangedGroup, data: object): void {
    if (Object.keys(data).length === 0) return;
    this.#append(transaction, group, { op: 'update', group_id: group.groupId, data });
  }

  /** Adds the event of a deactivated group. */
  deactivated(transaction: Transaction, realmId: number, groupId: number): void {
    const group = { realmId, groupId, isDeactivated: false };
    this.#append(transaction, group, { op: 'deactivate', group_id: groupId });
  }

  /** Runs after all changes of the group. */
  async reactivated(transaction: Transaction, realmId: number, groupId: number): Promise<void> {
    const group = toUserGroupResponse(await this.groups.one(realmId, groupId, transaction));
    const body = { op: 'reactivate', group_id: groupId, group };
    this.#append(transaction, { realmId, groupId, isDeactivated: false }, body);
  }

  /** Adds the events of changed direct members. */
  membersChanged(
    transaction: Transaction,
    { realmId, groupId, isDeactivated }: ChangedGroup,
    { add, remove }: ListChange,
  ): void {
    const group = { id: groupId, isDeactivated };
    const moved = (op: 'add_members' | 'remove_members', userIds: readonly number[]) => {
      if (userIds.length === 0) return;
      this.#moved(transaction, realmId, op, [{ ...group, userIds: [...userIds] }]);
    };
    moved('add_members', add);
    moved('remove_members', remove);
  }

  /** Runs a change of members or subgroups with its own events, and adds the events of its effects. */
  async duringMembershipChange(
    transaction: Transaction,
    { realmId, groupId, concerned }: GroupMembershipChange,
    change: () => Promise<void>,
  ): Promise<void> {
    const changes = { realmId, groupIds: [groupId], concerned };
    const changed = await this.hook?.changing(transaction, changes);
    const guestsChanged = await this.guests?.changing(transaction, { realmId, groupId });
    await change();
    await changed?.();
    await guestsChanged?.();
  }

  /** Adds the events of changed subgroups. */
  subgroupsChanged(
    transaction: Transaction,
    group: ChangedGroup,
    { add, remove }: ListChange,
  ): void {
    const append = (op: 'add_subgroups' | 'remove_subgroups', ids: readonly number[]) => {
      if (ids.length === 0) return;
      this.#append(transaction, group, { op, group_id: group.groupId, direct_subgroup_ids: ids });
    };
    append('add_subgroups', add);
    append('remove_subgroups', remove);
  }

  /** Adds the events of the groups that new or reactivated accounts belong to. Roles make them members too. */
  async accountsJoined(
    transaction: Transaction,
    realmId: number,
    userIds: readonly number[],
  ): Promise<void> {
    const joined = await this.accounts.groupsOf(realmId, userIds, transaction);
    this.#moved(transaction, realmId, 'add_members', joined);
  }

  /**
   * The events of the groups of deactivated accounts, for the guests that get no event of the deactivation because they
   * cannot see the account; others remove it from groups themselves.
   */
  async hiddenAccountsLeft(
    transaction: Transaction,
    realmId: number,
    guestsByAccount: ReadonlyMap<number, readonly number[]>,
  ): Promise<NewEvent[]> {
    if (guestsByAccount.size === 0) return [];
    const userIds = [...guestsByAccount.keys()];
    const groups = await this.accounts.groupsOf(realmId, userIds, transaction);
    return groups.flatMap(({ id: groupId, isDeactivated, userIds: memberIds }) =>
      memberIds.map((userId) => {
        const body = { op: 'remove_members', group_id: groupId, user_ids: [userId] };
        const audience = { userIds: guestsByAccount.get(userId) ?? [] };
        return eventOf({ realmId, groupId, isDeactivated }, body, audience);
      }),
    );
  }

  /**
   * Adds the events of the permissions that single deactivated or reactivated accounts hold: these omit deactivated
   * accounts.
   */
  async holdersChanged(
    transaction: Transaction,
    realmId: number,
    userIds: readonly number[],
  ): Promise<void> {
    const holderIds = await this.accounts.holdersWith(realmId, userIds, transaction);
    if (holderIds.length === 0) return;
    const values = await this.settings.valuesOf(holderIds, transaction);
    const groups = await this.accounts.settingsHeldBy(realmId, holderIds, transaction);
    for (const { id: groupId, isDeactivated, held } of groups) {
      const body = { op: 'update', group_id: groupId, data: dataOf(held, values) };
      this.#append(transaction, { realmId, groupId, isDeactivated }, body);
    }
    const held = await this.accounts.realmSettingsHeldBy(realmId, holderIds, transaction);
    if (Object.keys(held).length > 0) {
      const body = { op: 'update_dict', property: 'default', data: dataOf(held, values) };
      const audience = { everyone: 'all' } as const;
      this.log.append(transaction, { realmId, type: 'realm', body, audience });
    }
    await this.hook?.holdersChanged(transaction, realmId, holderIds);
  }

  /**
   * Runs a change of the role of an account, or of the date at which it joined, with its own events. Adds the events of the
   * groups that the account joins and leaves, and of their effects.
   */
  async duringAccountChange(
    transaction: Transaction,
    {
      realmId,
      userId,
      isActive,
    }: { readonly realmId: number; readonly userId: number; readonly isActive: boolean },
    change: () => Promise<void>,
  ): Promise<void> {
    const changed = await this.hook?.changing(transaction, { realmId, userId });
    const before = await this.accounts.groupsOf(realmId, [userId], transaction);
    await change();
    const after = await this.accounts.groupsOf(realmId, [userId], transaction);
    // Lists of members omit deactivated accounts.
    if (isActive) {
      this.#moved(transaction, realmId, 'remove_members', exceptOf(before, after));
      this.#moved(transaction, realmId, 'add_members', exceptOf(after, before));
    }
    await changed?.();
  }

  #moved(
    transaction: Transaction,
    realmId: number,
    op: 'add_members' | 'remove_members',
    groups: readonly GroupOfAccounts[],
  ): void {
    for (const { id: groupId, isDeactivated, userIds } of groups) {
      const body = { op, group_id: groupId, user_ids: userIds };
      this.#append(transaction, { realmId, groupId, isDeactivated }, body);
    }
  }

  #append(
    transaction: Transaction,
    group: ChangedGroup,
    event: Readonly<Record<string, unknown>>,
  ): void {
    this.log.append(transaction, eventOf(group, event, { everyone: 'all' }));
  }
}

function eventOf(
  { realmId, isDeactivated }: ChangedGroup,
  event: Readonly<Record<string, unknown>>,
  audience: Audience,
): NewEvent {
  const body = isDeactivated ? { ...event, is_group_deactivated: true } : event;
  return { realmId, type: userGroupEvent.type, body, audience };
}

const exceptOf = (groups: readonly GroupOfAccounts[], others: readonly GroupOfAccounts[]) =>
  groups.filter(({ id }) => !others.some((other) => other.id === id));

/** The new values of permissions in the format of the API. */
const dataOf = (held: SettingGroups, values: GroupSettingValues): object =>
  Object.fromEntries(Object.entries(held).map(([name, id]) => [name, values.get(id)]));
