import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SYSTEM_SUBDOMAIN } from '#directory/realms';
import { roles } from '#directory/roles';
import { Database, type Session } from '#platform/database';
import { type User, USER_COLUMNS } from '../user.repository.js';

// A concurrent insert waits for the first one and then finds its row.
const CREATE_REALM = `
  INSERT INTO realms (subdomain, name, is_presence_disabled) VALUES ($1, 'System', true)
  ON CONFLICT (subdomain) DO NOTHING`;

const CREATE_BOT = `
  INSERT INTO users (realm_id, delivery_email, email, full_name, role, is_bot, is_system_bot,
                     api_key_hash, api_key_sealed)
  SELECT id, $2, $2, $3, $4, true, true, $5, ''
  FROM realms WHERE subdomain = $1
  ON CONFLICT (realm_id, lower(delivery_email)) DO NOTHING`;

const LIST = `
  SELECT ${USER_COLUMNS} FROM users
  WHERE realm_id = (SELECT realm.id FROM realms realm WHERE realm.subdomain = $1)
    AND is_system_bot AND email = ANY($2::text[])
  ORDER BY id`;

/** A random hash belongs to no key, so that no request can sign in as a system bot. */
const KEY_HASH_BYTES = 32;

/** The bots of the server. Their organisation is not reachable by a host name. */
@Injectable()
export class SystemBotRepository {
  constructor(private readonly database: Database) {}

  /** The bots with the given addresses in the order of their ids, as far as they exist. */
  async list(emails: readonly string[], session: Session = this.database): Promise<User[]> {
    return session.query<User>('system_bots', LIST, [SYSTEM_SUBDOMAIN, emails]);
  }

  /** Returns the bots with the given addresses and creates the missing ones. */
  async findOrCreate(
    wanted: readonly { readonly fullName: string; readonly email: string }[],
  ): Promise<User[]> {
    const emails = wanted.map(({ email }) => email);
    const known = await this.list(emails);
    if (known.length === wanted.length) return known;
    await this.database.query('create_system_realm', CREATE_REALM, [SYSTEM_SUBDOMAIN]);
    for (const { email, fullName } of wanted) {
      await this.database.query('create_system_bot', CREATE_BOT, [
        SYSTEM_SUBDOMAIN,
        email,
        fullName,
        roles.member,
        randomBytes(KEY_HASH_BYTES),
      ]);
    }
    return this.list(emails);
  }
}
