import { Injectable } from '@nestjs/common';
import { roles } from '#directory/roles';
import type { Session, Transaction } from '#platform/database';
import { CHANNEL_COLUMNS, type StoredChannel } from '../channel.repository.js';

/** A channel that a request names, or a name without a channel. */
export type ChannelByName =
  | { readonly place: number; readonly id: null }
  | (StoredChannel & { readonly place: number; readonly isSubscribed: boolean });

/** An account that a request names. */
export interface AccountByReference {
  readonly id: number;
  readonly isGuest: boolean;
  readonly botOwnerId: number | null;
  readonly fullName: string;
  readonly isBot: boolean;
}

// A message of the channel waits, so that its events do not overtake those of the subscription.
const LOCK = `
  SELECT FROM channels
  WHERE realm_id = $1 AND name_key(name) IN (SELECT name_key(given) FROM unnest($2::text[]) AS given)
  ORDER BY id FOR SHARE`;

const SELECT = `
  WITH given AS (
    SELECT DISTINCT ON (name_key(name)) name, place
    FROM unnest($2::text[]) WITH ORDINALITY AS given (name, place) ORDER BY name_key(name), place
  )
  SELECT given.place::int - 1 AS place, found.*, s.user_id IS NOT NULL AS "isSubscribed"
  FROM given
  LEFT JOIN LATERAL (
    SELECT ${CHANNEL_COLUMNS} FROM channels c
    WHERE c.realm_id = $1 AND name_key(c.name) = name_key(given.name)
    ORDER BY c.name = given.name DESC, lower(c.name) = lower(given.name) DESC, c.id LIMIT 1
  ) AS found ON true
  LEFT JOIN subscriptions s ON s.channel_id = found.id AND s.user_id = $3 AND s.is_active
  ORDER BY given.place`;

const accountsWhere = (condition: string): string => `
  SELECT id, role >= ${roles.guest} AS "isGuest", bot_owner_id AS "botOwnerId", full_name AS "fullName",
    is_bot AS "isBot"
  FROM users WHERE realm_id = $1 AND is_active AND ${condition} ORDER BY id`;

const ACCOUNTS_BY_ID = accountsWhere('id = ANY($2::int[])');
const ACCOUNTS_BY_EMAIL = accountsWhere(
  'lower(email) IN (SELECT lower(given) FROM unnest($2::text[]) AS given)',
);

/** Accounts as a request names them. */
export type AccountReferences =
  { readonly ids: readonly number[] } | { readonly emails: readonly string[] };

/** Finds the channels and accounts that requests about subscriptions name. */
@Injectable()
export class NamedChannelRepository {
  /** Holds the named channels until the end of the transaction: no message and no change of them is stored meanwhile. */
  async lock(transaction: Transaction, realmId: number, names: readonly string[]): Promise<void> {
    await transaction.query('lock_named_channels', LOCK, [realmId, names]);
  }

  /** The channel of each name; names with the same key count once. `place` is the index of the name. */
  async find(
    session: Session,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    names: readonly string[],
  ): Promise<ChannelByName[]> {
    return session.query<ChannelByName>('named_channels', SELECT, [realmId, names, userId]);
  }

  /** The active accounts of the organisation with these ids or visible addresses, in the order of their ids. */
  async accounts(
    session: Session,
    realmId: number,
    named: AccountReferences,
  ): Promise<AccountByReference[]> {
    return 'ids' in named
      ? session.query<AccountByReference>('named_accounts_by_id', ACCOUNTS_BY_ID, [
          realmId,
          named.ids,
        ])
      : session.query<AccountByReference>('named_accounts_by_email', ACCOUNTS_BY_EMAIL, [
          realmId,
          named.emails,
        ]);
  }
}
