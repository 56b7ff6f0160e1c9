import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** An account of any organisation. */
export interface FoundAccount {
  readonly id: number;
  readonly fullName: string;
  readonly deliveryEmail: string;
  readonly role: number;
  readonly isBot: boolean;
  readonly isActive: boolean;
  readonly realm: { readonly id: number; readonly subdomain: string; readonly name: string };
}

interface FoundRow {
  id: number;
  full_name: string;
  delivery_email: string;
  role: number;
  is_bot: boolean;
  is_active: boolean;
  realm_id: number;
  subdomain: string;
  realm_name: string;
}

const accountsWhere = (condition: string): string => `
  SELECT account.id, account.full_name, account.delivery_email, account.role, account.is_bot,
    account.is_active, realm.id AS realm_id, realm.subdomain, realm.name AS realm_name
  FROM realms realm JOIN users account ON account.realm_id = realm.id
  WHERE ${condition} AND ($2::text IS NULL OR realm.subdomain = $2)
  ORDER BY account.id LIMIT 10`;

const BY_ID = accountsWhere('account.id = $1');
const BY_EMAIL = accountsWhere('lower(account.delivery_email) = lower($1)');

/** The accounts of all organisations, as an operator sees them. */
@Injectable()
export class AccountDirectoryRepository {
  constructor(private readonly database: Database) {}

  async byId(userId: number, subdomain: string | null): Promise<FoundAccount[]> {
    return this.#find('account_by_id', BY_ID, userId, subdomain);
  }

  /** By the address that signs in, whatever its case. */
  async byEmail(email: string, subdomain: string | null): Promise<FoundAccount[]> {
    return this.#find('accounts_by_email', BY_EMAIL, email, subdomain);
  }

  async #find(
    name: string,
    text: string,
    what: number | string,
    subdomain: string | null,
  ): Promise<FoundAccount[]> {
    const rows = await this.database.query<FoundRow>(name, text, [what, subdomain]);
    return rows.map((row) => ({
      id: row.id,
      fullName: row.full_name,
      deliveryEmail: row.delivery_email,
      role: row.role,
      isBot: row.is_bot,
      isActive: row.is_active,
      realm: { id: row.realm_id, subdomain: row.subdomain, name: row.realm_name },
    }));
  }
}
