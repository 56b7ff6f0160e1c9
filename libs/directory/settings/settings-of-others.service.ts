import { Injectable } from '@nestjs/common';
import { GroupReadingService, userGroupErrors } from '#directory/groups';
import { isAdministrator, roleErrors } from '#directory/roles';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import { Database } from '#platform/database';
import { SettingChanges } from './setting-changes.js';
import { SettingRepository } from './setting.repository.js';
import { settingErrors } from './settings.errors.js';
import { type AccountChange, hasOwnOnly } from './settings.rules.js';

/** The accounts of one transaction: other changes of them wait until its end. */
const PAGE = 500;

/** The accounts that an administrator chooses. */
interface Targets {
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  /** Whether a setting that an account has changed itself stays. */
  readonly skipsEdited: boolean;
}

/** Settings that administrators change for other accounts. */
@Injectable()
export class SettingsOfOthersService {
  constructor(
    private readonly database: Database,
    private readonly changes: SettingChanges,
    private readonly settings: SettingRepository,
    private readonly groups: GroupReadingService,
  ) {}

  /**
   * Changes settings of people, deactivated ones included; bots are left out. Accounts are changed in pages: after a
   * failure in the middle, the same request completes the change. Rejects with `mustBeAdministrator`, `noTargetUsers`,
   * `ownSettingOnly`, `invalidUserId` and `invalidUserGroup`.
   */
  async change(
    caller: Caller,
    targets: Targets,
    { fullName, settings: given = {} }: AccountChange,
  ): Promise<void> {
    if (!isAdministrator(caller.role)) throw new ApiError(roleErrors.mustBeAdministrator);
    if (targets.userIds.length + targets.groupIds.length === 0) {
      throw new ApiError(settingErrors.noTargetUsers);
    }
    if (fullName !== undefined || hasOwnOnly(given))
      throw new ApiError(settingErrors.ownSettingOnly);
    const people = await this.#peopleOf(caller, targets);
    const by = targets.skipsEdited ? 'administrator, unless edited' : 'administrator';
    for (let from = 0; from < people.length; from += PAGE) {
      const userIds = people.slice(from, from + PAGE);
      await this.database.transaction((transaction) =>
        this.changes.apply(transaction, { realm: caller.realm, userIds, given, by }),
      );
    }
  }

  async #peopleOf(caller: Caller, { userIds, groupIds }: Targets): Promise<number[]> {
    const known = await this.settings.accountsAmong(caller.realm.id, userIds.filter(isRowId));
    const unknown = userIds.find((id) => !known.has(id));
    if (unknown !== undefined) throw new ApiError(userGroupErrors.invalidUserId, { id: unknown });
    if (groupIds.length === 0) return this.settings.peopleAmong([...known]);
    // Of all groups at once: each may have everyone.
    const members = await this.groups.membersOf(caller, groupIds, { isDirectOnly: false });
    return this.settings.peopleAmong([...new Set([...known, ...members])]);
  }
}
