import { Injectable } from '@nestjs/common';
import { AuthVersionStore } from '#directory/auth';
import { type FieldInput, ProfileFieldsService } from '#directory/profile-fields';
import { isAdministrator, roleErrors } from '#directory/roles';
import { type User, userErrors, UserRolesService, UsersService } from '#directory/users';
import { ApiError, type Caller } from '#platform/contracts';
import { Database } from '#platform/database';

/** New values of an account; missing members stay unchanged. */
interface AccountChange {
  readonly fullName?: string | undefined;
  readonly role?: number | undefined;
  readonly profileData?: readonly FieldInput[] | undefined;
}

/** Changes accounts for administrators. */
@Injectable()
export class UserAdministrationService {
  constructor(
    private readonly users: UsersService,
    private readonly userRoles: UserRolesService,
    private readonly profiles: ProfileFieldsService,
    private readonly database: Database,
    private readonly versions: AuthVersionStore,
  ) {}

  /**
   * Changes an account, found by its id or address, active or not: all values or none. When it resolves, every gateway
   * applies the role. Rejects with ApiError for an unknown account, a missing permission, and an invalid value.
   */
  async change(caller: Caller, idOrEmail: string, change: AccountChange): Promise<void> {
    const { fullName, role, profileData } = change;
    const user = await this.users.find(caller, idOrEmail);
    requirePermission(caller, user);
    const account = { realmId: user.realmId, userId: user.id };
    const values =
      profileData === undefined ? [] : await this.profiles.prepare(caller, profileData);
    const raised = await this.database.transaction(async (transaction) => {
      const versions =
        role === undefined ? [] : await this.userRoles.change(transaction, caller, account, role);
      if (fullName !== undefined) await this.users.rename(transaction, account, fullName);
      await this.profiles.store(transaction, { ...account, isBot: user.isBot }, values);
      return versions;
    });
    await this.versions.raiseAll(raised);
  }
}

function requirePermission(caller: Caller, user: User): void {
  if (user.realmId !== caller.realm.id) throw new ApiError(userErrors.noSuchUser);
  if (!isAdministrator(caller.role)) throw new ApiError(roleErrors.insufficientPermission);
}
