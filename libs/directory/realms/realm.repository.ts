import { Injectable } from '@nestjs/common';
import {
  createSystemGroups,
  type RealmPermission,
  realmPermissionColumns,
} from '#directory/groups';
import type { Realm } from '#platform/contracts';
import { Database, queryRow, type Transaction } from '#platform/database';

/** A stored organisation. */
export interface RealmRow extends NewRealm {
  /** Markdown. */
  readonly description: string;
  readonly createdAt: Date;
  readonly isDeactivated: boolean;
}

/** An organisation with its name. */
export type NewRealm = Realm & { readonly name: string };

/** An organisation, as an answer names it. */
export type RealmName = Pick<NewRealm, 'id' | 'name'>;

const CREATE = `
  INSERT INTO realms (subdomain, name) VALUES ($1, $2)
  ON CONFLICT (subdomain) DO NOTHING
  RETURNING id, subdomain, name, is_presence_disabled AS "isPresenceDisabled"`;

const REQUIRE_ENCRYPTED_PUSH = `
  WITH changed AS (
    UPDATE realms SET requires_encrypted_push = $2
    WHERE subdomain = $1 AND requires_encrypted_push <> $2
    RETURNING id
  )
  SELECT id, name, EXISTS (SELECT FROM changed) AS "isChanged" FROM realms WHERE subdomain = $1`;

const RETAIN_MESSAGES = `
  UPDATE realms SET message_retention_days = $2
  WHERE id = $1 AND message_retention_days IS DISTINCT FROM $2
  RETURNING id`;

/** The columns of settings of the organisation itself, by their names in events. */
const columns = {
  description: 'description',
  name: 'name',
  disallow_disposable_email_addresses: 'refuses_disposable_emails',
  require_unique_names: 'requires_unique_names',
  send_channel_events_messages: 'sends_channel_events',
  topics_policy: 'topics_policy',
  upload_quota_mib: 'upload_quota_mib',
  waiting_period_threshold: 'waiting_period_days',
} as const;

/** The name of such a setting. */
export type OperatorColumn = keyof typeof columns;

export const operatorColumns = Object.keys(columns) as readonly OperatorColumn[];

const setSql = (column: string): string =>
  `UPDATE realms SET ${column} = $2 WHERE id = $1 AND ${column} IS DISTINCT FROM $2 RETURNING id`;

const holderSql = (column: string): string =>
  `SELECT ${column} AS "groupId" FROM realms WHERE id = $1`;

const REPLACE_DOMAINS = `
  WITH given AS (SELECT * FROM unnest($2::text[], $3::boolean[]) AS given (domain, allows_subdomains)),
  removed AS (
    DELETE FROM realm_email_domains
    WHERE realm_id = $1 AND domain NOT IN (SELECT domain FROM given)
  )
  INSERT INTO realm_email_domains (realm_id, domain, allows_subdomains)
  SELECT $1, domain, allows_subdomains FROM given
  ON CONFLICT (realm_id, domain) DO UPDATE SET allows_subdomains = excluded.allows_subdomains`;

/** A domain whose addresses accounts may have. */
export interface EmailDomain {
  /** In lower case. */
  readonly domain: string;
  readonly allowsSubdomains: boolean;
}

/** The organisations, and the settings of them that an operator changes. */
@Injectable()
export class RealmRepository {
  constructor(private readonly database: Database) {}

  /** The organisation, active or deactivated; null for an unknown subdomain. */
  async findBySubdomain(subdomain: string): Promise<RealmRow | null> {
    const row = await this.database.prisma.realm.findUnique({ where: { subdomain } });
    if (row === null) return null;
    const { id, name, isPresenceDisabled, description, createdAt, deactivatedAt } = row;
    const isDeactivated = deactivatedAt !== null;
    return { id, subdomain, name, isPresenceDisabled, description, createdAt, isDeactivated };
  }

  /** Creates an organisation with its system groups in one transaction; null when the subdomain is taken. */
  async create(subdomain: string, name: string): Promise<NewRealm | null> {
    return this.database.transaction(async (transaction) => {
      const [realm] = await transaction.query<NewRealm>('create_realm', CREATE, [subdomain, name]);
      if (realm === undefined) return null;
      await createSystemGroups(transaction, realm.id);
      return realm;
    });
  }

  /**
   * Sets whether phones that get plain text get nothing. Resolves with the organisation, and whether the setting was another
   * one; null for an unknown organisation.
   */
  async setEncryptedPushRequired(
    transaction: Transaction,
    subdomain: string,
    isRequired: boolean,
  ): Promise<(RealmName & { readonly isChanged: boolean }) | null> {
    const [row] = await transaction.query<RealmName & { readonly isChanged: boolean }>(
      'require_encrypted_push',
      REQUIRE_ENCRYPTED_PUSH,
      [subdomain, isRequired],
    );
    return row ?? null;
  }

  /** Sets the retention of messages; null for unlimited. False when it was so already. */
  async setMessageRetention(
    transaction: Transaction,
    realmId: number,
    days: number | null,
  ): Promise<boolean> {
    const values = [realmId, days];
    return (await transaction.query('retain_messages', RETAIN_MESSAGES, values)).length > 0;
  }

  /** Sets a setting of an operator. False when it was so already. */
  async set(
    transaction: Transaction,
    realmId: number,
    setting: OperatorColumn,
    value: unknown,
  ): Promise<boolean> {
    const column = columns[setting];
    const values = [realmId, value];
    return (await transaction.query(`set_${column}`, setSql(column), values)).length > 0;
  }

  /** The group that has a permission; null for the default. */
  async holderOf(
    transaction: Transaction,
    realmId: number,
    permission: RealmPermission,
  ): Promise<number | null> {
    const column = realmPermissionColumns[permission];
    const { groupId } = await queryRow<{ groupId: number | null }>(
      transaction,
      `read_${column}`,
      holderSql(column),
      [realmId],
    );
    return groupId;
  }

  /** Gives a permission to a group; null for the default. */
  async setHolder(
    transaction: Transaction,
    realmId: number,
    permission: RealmPermission,
    groupId: number | null,
  ): Promise<void> {
    const column = realmPermissionColumns[permission];
    await transaction.query(`set_${column}`, setSql(column), [realmId, groupId]);
  }

  /** Replaces the allowed domains of addresses; an empty list allows all. */
  async replaceEmailDomains(
    transaction: Transaction,
    realmId: number,
    domains: readonly EmailDomain[],
  ): Promise<void> {
    await transaction.query('replace_email_domains', REPLACE_DOMAINS, [
      realmId,
      domains.map(({ domain }) => domain),
      domains.map(({ allowsSubdomains }) => allowsSubdomains),
    ]);
  }
}
