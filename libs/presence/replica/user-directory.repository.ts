import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

/** A user, as far as presence needs it. */
export interface DirectoryUser {
  readonly userId: number;
  /** The visible address; the key of the legacy format. */
  readonly email: string;
  readonly isActive: boolean;
}

// PostgreSQL alone measures the age of a change, since the clock of this process may be ahead.
const SELECT_CHANGED = `
  SELECT id AS "userId", email, is_active AS "isActive" FROM users
  WHERE realm_id = $1
    AND updated_at >= coalesce(now() - make_interval(secs => $2::float8), '-infinity')`;

/** Reads the users of UserDirectory. */
@Injectable()
export class UserDirectoryRepository {
  constructor(private readonly database: Database) {}

  /** The users of a realm that changed in the last `ageMs`; all of them for null. */
  async loadChanged(realmId: number, ageMs: number | null): Promise<DirectoryUser[]> {
    const values = [realmId, ageMs === null ? null : ageMs / 1000];
    return this.database.query<DirectoryUser>('presence_users', SELECT_CHANGED, values);
  }
}
