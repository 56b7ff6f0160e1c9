import { Injectable } from '@nestjs/common';
import { type AccountVersion, bumpAuthVersions } from '#directory/auth';
import { lockRealm } from '#directory/groups';
import { isAdministrator, isGuest, roles } from '#directory/roles';
import type { Transaction } from '#platform/database';

/** The role of an account before a change. */
interface CurrentRole {
  readonly role: number;
  readonly isActive: boolean;
  /** Whether it is the last active owner that is not a bot. */
  readonly isOnlyOwner: boolean;
}

const FIND = `
  SELECT role, is_active AS "isActive",
    role = ${roles.owner} AND is_active AND NOT is_bot AND NOT EXISTS (
      SELECT FROM users other
      WHERE other.realm_id = $1 AND other.id <> $2 AND other.role = ${roles.owner}
        AND other.is_active AND NOT other.is_bot
    ) AS "isOnlyOwner"
  FROM users WHERE id = $2`;

const CHANGE = `UPDATE users SET role = $2, updated_at = now() WHERE id = $1`;

// An administrator sees the sign-in addresses of all accounts.
const HAS_HIDDEN_ADDRESSES = `
  SELECT FROM users WHERE realm_id = $1 AND id <> $2 AND email <> delivery_email LIMIT 1`;

/** Changes the roles of accounts. */
@Injectable()
export class UserRoleRepository {
  /**
   * The role of an account. A lock serialises it with other changes of roles, activations and groups of the organisation
   * until the end of the transaction.
   */
  async lock(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
  ): Promise<CurrentRole> {
    await lockRealm(transaction, realmId);
    const [current] = await transaction.query<CurrentRole>('role_of_account', FIND, [
      realmId,
      userId,
    ]);
    if (current === undefined) throw new Error(`There is no account ${userId}`);
    return current;
  }

  /** Resolves with the new authentication version: a cached sign-in holds the role. */
  async change(
    transaction: Transaction,
    userId: number,
    role: number,
  ): Promise<readonly AccountVersion[]> {
    await transaction.query('change_role', CHANGE, [userId, role]);
    return bumpAuthVersions(transaction, [userId]);
  }

  /**
   * Whether an account sees other accounts differently with another role: guests may see fewer of them, and
   * administrators see hidden addresses.
   */
  async changesView(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<boolean> {
    if (isGuest(from) !== isGuest(to)) return true;
    if (isAdministrator(from) === isAdministrator(to)) return false;
    const rows = await transaction.query('hidden_addresses', HAS_HIDDEN_ADDRESSES, [
      realmId,
      userId,
    ]);
    return rows.length > 0;
  }
}
