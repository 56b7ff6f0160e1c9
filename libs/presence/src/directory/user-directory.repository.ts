import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** What presence has to know of a user. */
export interface KnownUser {
  readonly userId: number;
  /** The address that other users see; the legacy format is keyed by it. */
  readonly email: string;
  readonly isActive: boolean;
}

interface Row {
  id: number;
  email: string;
  is_active: boolean;
}

const SELECT_CHANGED = `
  SELECT id, email, is_active FROM users WHERE realm_id = $1 AND updated_at >= $2`;

@Injectable()
export class UserDirectoryRepository {
  constructor(private readonly database: Database) {}

  /** The users of a realm that changed at `sinceMs` or later. */
  async loadChanged(realmId: number, sinceMs: number): Promise<KnownUser[]> {
    const values = [realmId, new Date(sinceMs)];
    const rows = await this.database.query<Row>('presence-users', SELECT_CHANGED, values);
    return rows.map((row) => ({ userId: row.id, email: row.email, isActive: row.is_active }));
  }
}
