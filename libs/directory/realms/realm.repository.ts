import { Injectable } from '@nestjs/common';
import { createSystemGroups } from '#directory/groups';
import type { Realm } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';

/** A stored organisation. */
export interface RealmRow extends Realm {
  /** Markdown. */
  readonly description: string;
  readonly createdAt: Date;
  readonly isDeactivated: boolean;
}

/** An organisation, as an answer names it. */
export type NamedRealm = Pick<Realm, 'id' | 'name'>;

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

const REQUIRES_ENCRYPTED_PUSH = `
  SELECT requires_encrypted_push AS "isRequired" FROM realms WHERE id = $1`;

const RETAIN_MESSAGES = `
  UPDATE realms SET message_retention_days = $2
  WHERE id = $1 AND message_retention_days IS DISTINCT FROM $2
  RETURNING id`;

/** The organisations, and the settings of them that an operator changes. */
@Injectable()
export class RealmRepository {
  constructor(private readonly database: Database) {}

  async findBySubdomain(subdomain: string): Promise<RealmRow | null> {
    const row = await this.database.prisma.realm.findUnique({ where: { subdomain } });
    if (row === null) return null;
    const { id, name, isPresenceDisabled, description, createdAt, deactivatedAt } = row;
    const isDeactivated = deactivatedAt !== null;
    return { id, subdomain, name, isPresenceDisabled, description, createdAt, isDeactivated };
  }

  /** Creates an organisation with its system groups in one transaction; null when the subdomain is taken. */
  async create(subdomain: string, name: string): Promise<Realm | null> {
    return this.database.transaction(async (transaction) => {
      const [realm] = await transaction.query<Realm>('create_realm', CREATE, [subdomain, name]);
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
  ): Promise<(NamedRealm & { readonly isChanged: boolean }) | null> {
    const [row] = await transaction.query<NamedRealm & { readonly isChanged: boolean }>(
      'require_encrypted_push',
      REQUIRE_ENCRYPTED_PUSH,
      [subdomain, isRequired],
    );
    return row ?? null;
  }

  /** Whether phones that get plain text get nothing. */
  async requiresEncryptedPush(realmId: number): Promise<boolean> {
    const [row] = await this.database.query<{ isRequired: boolean }>(
      'requires_encrypted_push',
      REQUIRES_ENCRYPTED_PUSH,
      [realmId],
    );
    return row?.isRequired === true;
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
}
