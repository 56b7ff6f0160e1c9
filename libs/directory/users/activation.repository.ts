import { Injectable } from '@nestjs/common';
import { type AccountVersion, bumpAuthVersions } from '#directory/auth';
import { lockRealm } from '#directory/groups';
import { roles } from '#directory/roles';
import type { Transaction } from '#platform/database';
import { type ErasureScope, requestErasure } from './message-erasure.repository.js';

/** The reason why an account cannot be deactivated. */
export type Refusal = 'deactivated' | 'owner' | 'only owner' | 'only user';

/** An account to deactivate or reactivate. */
export interface AccountToActivate {
  readonly realmId: number;
  readonly userId: number;
  /** False refuses the account of an owner. */
  readonly mayBeOwner: boolean;
}

interface AccountRow {
  readonly role: number;
  readonly isBot: boolean;
  readonly isActive: boolean;
  /** Whether it is a bot of a deactivated account. */
  readonly isOwnerGone: boolean;
}

const FIND = `
  SELECT u.role, u.is_bot AS "isBot", u.is_active AS "isActive",
    coalesce(NOT owner.is_active, false) AS "isOwnerGone"
  FROM users u LEFT JOIN users owner ON owner.id = u.bot_owner_id WHERE u.id = $1`;

const OTHER_PERSON = `
  SELECT FROM users WHERE realm_id = $1 AND id <> $2 AND NOT is_bot AND is_active LIMIT 1`;

const OTHER_OWNER = `
  SELECT FROM users
  WHERE realm_id = $1 AND id <> $2 AND NOT is_bot AND is_active AND role = ${roles.owner}
  LIMIT 1`;

const DEACTIVATE = `
  UPDATE users SET is_active = false, updated_at = now()
  WHERE (id = $1 OR bot_owner_id = $1) AND is_active
  RETURNING id`;

// The generation invalidates the devices that the job of the deactivation has not yet removed.
const REACTIVATE = `
  UPDATE users
  SET is_active = true, key_generation = key_generation + 1, updated_at = now()
  WHERE id = $1 AND NOT is_active
  RETURNING id`;

const ERASE_NAMES = `
  UPDATE users SET full_name = $2, updated_at = now()
  WHERE id = ANY($1::int[]) AND full_name <> $2
  RETURNING id`;

/** Deactivates and reactivates accounts, with the versions of their sign-ins. */
@Injectable()
export class ActivationRepository {
  /**
   * Deactivates an account of the organisation and the bots that it owns. Resolves with their new authentication
   * versions, or with the reason of the refusal.
   */
  async deactivate(
    transaction: Transaction,
    account: AccountToActivate,
  ): Promise<readonly AccountVersion[] | Refusal> {
    const refusal = await refusalOf(transaction, account);
    if (refusal !== null) return refusal;
    const changed = await transaction.query<{ id: number }>('deactivate_accounts', DEACTIVATE, [
      account.userId,
    ]);
    return bumpAuthVersions(
      transaction,
      changed.map(({ id }) => id),
    );
  }

  /** Has messages of accounts deleted soon. */
  eraseMessages(
    transaction: Transaction,
    userIds: readonly number[],
    messages: ErasureScope,
  ): Promise<void> {
    return requestErasure(transaction, userIds, messages);
  }

  /** Gives accounts a name that others may have too; resolves with those that had another one. */
  async eraseNames(
    transaction: Transaction,
    userIds: readonly number[],
    fullName: string,
  ): Promise<number[]> {
    const values = [userIds, fullName];
    const rows = await transaction.query<{ id: number }>('erase_names', ERASE_NAMES, values);
    return rows.map(({ id }) => id);
  }

  /**
   * Resolves with the new authentication version, with an empty list if the account is already active, or with the reason of
   * the refusal: a bot of a deactivated account would be back with a key that this account knows.
   */
  async reactivate(
    transaction: Transaction,
    { realmId, userId, mayBeOwner }: AccountToActivate,
  ): Promise<readonly AccountVersion[] | 'owner' | 'bot of deactivated'> {
    // Serialises it with the deactivations, so that the events of both contain the state of their commits.
    const user = await lock(transaction, realmId, userId);
    if (user?.role === roles.owner && !mayBeOwner) return 'owner';
    if (user?.isActive === false && user.isOwnerGone) return 'bot of deactivated';
    const changed = await transaction.query('reactivate_account', REACTIVATE, [userId]);
    return changed.length === 0 ? [] : bumpAuthVersions(transaction, [userId]);
  }
}

/** The account, under the lock that serialises the activations and changes of roles of an organisation. */
async function lock(
  transaction: Transaction,
  realmId: number,
  userId: number,
): Promise<AccountRow | undefined> {
  await lockRealm(transaction, realmId);
  const [user] = await transaction.query<AccountRow>('account_to_activate', FIND, [userId]);
  return user;
}

/** Under the lock two owners cannot deactivate each other. */
async function refusalOf(
  transaction: Transaction,
  { realmId, userId, mayBeOwner }: AccountToActivate,
): Promise<Refusal | null> {
  const user = await lock(transaction, realmId, userId);
  if (user === undefined || !user.isActive) return 'deactivated';
  if (user.role === roles.owner && !mayBeOwner) return 'owner';
  if (user.isBot) return null;
  if (user.role === roles.owner) {
    const owners = await transaction.query('other_owner', OTHER_OWNER, [realmId, userId]);
    if (owners.length === 0) return 'only owner';
  }
  const people = await transaction.query('other_person', OTHER_PERSON, [realmId, userId]);
  return people.length === 0 ? 'only user' : null;
}
