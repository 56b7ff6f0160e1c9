import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

/** A user, as far as presence needs it. */
export interface KnownUser {
  readonly userId: number;
  /** The visible address; the key of the legacy format. */
  readonly email: string;
  readonly isActive: boolean;
}

const SELECT_CHANGED = `
  SELECT id AS "userId", email, is_active AS "isActive" FROM users
  WHERE realm_id = $1 AND updated_at >= $2`;

/** Reads the users of UserDirectory. */
@Injectable()
export class UserDirectoryRepository {
  constructor(private readonly database: Database) {}

  /** The users of a realm that changed at `sinceMs` or later. */
  async loadChanged(realmId: number, sinceMs: number): Promise<KnownUser[]> {
    const values = [realmId, new Date(sinceMs)];
    return this.database.query<KnownUser>('presence_users', SELECT_CHANGED, values);
  }
}
