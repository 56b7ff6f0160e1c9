import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

/** An account of any organisation. */
export interface DirectoryAccount {
  readonly id: number;
  readonly fullName: string;
  readonly deliveryEmail: string;
  readonly role: number;
  readonly isBot: boolean;
  readonly isActive: boolean;
  readonly realm: { readonly id: number; readonly subdomain: string; readonly name: string };
}

type DirectoryRow = Omit<DirectoryAccount, 'realm'> & {
  readonly realmId: number;
  readonly subdomain: string;
  readonly realmName: string;
};

const accountsWhere = (condition: string): string => `
  SELECT account.id, account.full_name AS "fullName", account.delivery_email AS "deliveryEmail",
    account.role, account.is_bot AS "isBot", account.is_active AS "isActive",
    realm.id AS "realmId", realm.subdomain, realm.name AS "realmName"
  FROM realms realm JOIN users account ON account.realm_id = realm.id
  WHERE ${condition} AND ($2::text IS NULL OR realm.subdomain = $2)
  ORDER BY account.id LIMIT 10`;

const BY_ID = accountsWhere('account.id = $1');
const BY_EMAIL = accountsWhere('lower(account.delivery_email) = lower($1)');

/** Finds accounts in all organisations. */
@Injectable()
export class AccountDirectoryRepository {
  constructor(private readonly database: Database) {}

  /** The account with an id, at most one; with a subdomain only when it is of that organisation. */
  async byId(userId: number, subdomain: string | null): Promise<DirectoryAccount[]> {
    return this.#find('account_by_id', BY_ID, userId, subdomain);
  }

  /** By the sign-in address, case-insensitively. */
  async byEmail(email: string, subdomain: string | null): Promise<DirectoryAccount[]> {
    return this.#find('accounts_by_email', BY_EMAIL, email, subdomain);
  }

  async #find(
    name: string,
    text: string,
    key: number | string,
    subdomain: string | null,
  ): Promise<DirectoryAccount[]> {
    const rows = await this.database.query<DirectoryRow>(name, text, [key, subdomain]);
    return rows.map(({ realmId, subdomain: label, realmName, ...account }) => ({
      ...account,
      realm: { id: realmId, subdomain: label, name: realmName },
    }));
  }
}
