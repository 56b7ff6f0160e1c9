import { Injectable } from '@nestjs/common';
import type { Platform } from '#push/jobs';
import type { AccountKey } from '#platform/contracts';
import { batched } from '#platform/core';
import { Database, queryRow } from '#platform/database';
import type { RelayedAccount } from '#push/providers';

/** An account, as its notifications in plain text need it. */
interface NotifiedAccount extends RelayedAccount {
  /** Whether the service may still send to a phone that was removed, or that an older key has registered. */
  readonly hasRemovals: boolean;
}

/** An organisation, as its notifications need it. */
interface RelayedRealm {
  readonly uuid: string;
  readonly name: string;
  /** Whether the phones that get plain text get nothing. */
  readonly requiresEncryption: boolean;
}

interface AccountRow {
  place: number;
  user_uuid: string;
  realm_uuid: string;
  tokens: readonly { readonly platform: Platform; readonly token: string }[] | null;
  has_removals: boolean;
}

const JOIN_PHONES = `
  CROSS JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('platform', platform, 'token', token) ORDER BY id)
        FILTER (WHERE key_generation = asked.key_generation) AS tokens,
      coalesce(bool_or(key_generation < asked.key_generation), false) OR EXISTS (
        SELECT FROM push_service_changes
        WHERE push_service_changes.user_id = asked.user_id AND kind <> 'register'
          AND created_at > now() - interval '1 day'
      ) AS has_removals
    FROM push_devices
    WHERE user_id = asked.user_id
  ) AS phones`;

// Conflicts update nothing, but return the row, so that identities that another process makes meanwhile are found.
const ACCOUNTS = `
  WITH asked AS (
    SELECT asked.place::int, asked.user_id, asked.key_generation, account.realm_id
    FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS asked (user_id, key_generation, place)
    JOIN users account ON account.id = asked.user_id
  ), people AS (
    INSERT INTO push_service_accounts (user_id)
    SELECT DISTINCT user_id FROM asked ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id
    RETURNING user_id, uuid
  ), realms AS (
    INSERT INTO push_service_realms (realm_id)
    SELECT DISTINCT realm_id FROM asked ORDER BY realm_id
    ON CONFLICT (realm_id) DO UPDATE SET realm_id = excluded.realm_id
    RETURNING realm_id, uuid
  )
  SELECT asked.place, people.uuid AS user_uuid, realms.uuid AS realm_uuid, phones.tokens,
    phones.has_removals
  FROM asked
  JOIN people ON people.user_id = asked.user_id
  JOIN realms ON realms.realm_id = asked.realm_id
  ${JOIN_PHONES}`;

const KNOWN_ACCOUNTS = `
  SELECT asked.place::int, person.uuid AS user_uuid, realm.uuid AS realm_uuid, phones.tokens,
    phones.has_removals
  FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS asked (user_id, key_generation, place)
  JOIN users account ON account.id = asked.user_id
  JOIN push_service_accounts person ON person.user_id = asked.user_id
  JOIN push_service_realms realm ON realm.realm_id = account.realm_id
  ${JOIN_PHONES}`;

const REALM = `
  WITH identity AS (
    INSERT INTO push_service_realms (realm_id) VALUES ($1)
    ON CONFLICT (realm_id) DO UPDATE SET realm_id = excluded.realm_id
    RETURNING realm_id, uuid
  )
  SELECT identity.uuid, realm.name, realm.requires_encrypted_push AS "requiresEncryption"
  FROM identity JOIN realms realm ON realm.id = identity.realm_id`;

/** The identities of accounts and organisations at the push service. They are made at their first use. */
@Injectable()
export class RelayIdentityRepository {
  /** Null for an account that does not exist. Calls of the same moment share a statement. */
  readonly account = batched((keys: readonly AccountKey[]) => this.#accounts(keys));

  constructor(private readonly database: Database) {}

  /** An organisation as the service knows it, and its settings of this moment. */
  realm(realmId: number): Promise<RelayedRealm> {
    return queryRow<RelayedRealm>(this.database, 'push_service_realm', REALM, [realmId]);
  }

  async #accounts(keys: readonly AccountKey[]): Promise<(NotifiedAccount | null)[]> {
    const known = await this.#read('push_service_known_accounts', KNOWN_ACCOUNTS, keys);
    if (known.every((account) => account !== null)) return known;
    return this.#read('push_service_accounts', ACCOUNTS, keys);
  }

  async #read(
    name: string,
    statement: string,
    keys: readonly AccountKey[],
  ): Promise<(NotifiedAccount | null)[]> {
    const rows = await this.database.query<AccountRow>(name, statement, [
      keys.map(({ userId }) => userId),
      keys.map(({ keyGeneration }) => keyGeneration),
    ]);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return keys.map((_, index) => toAccount(byPlace.get(index + 1)));
  }
}

function toAccount(row: AccountRow | undefined): NotifiedAccount | null {
  if (row === undefined) return null;
  const tokensOf = (wanted: Platform) =>
    (row.tokens ?? []).filter(({ platform }) => platform === wanted).map(({ token }) => token);
  return {
    userUuid: row.user_uuid,
    realmUuid: row.realm_uuid,
    androidTokens: tokensOf('fcm'),
    appleTokens: tokensOf('apns'),
    hasRemovals: row.has_removals,
  };
}
