import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import {
  type SubscriptionProperty,
  subscriptionPropertyTable,
} from './subscription-property-table.rules.js';

/** A new value: a colour, or on or off. */
export interface PropertyChange {
  readonly channelId: number;
  readonly property: SubscriptionProperty;
  readonly value: string | boolean;
}

/** The values of a subscription; null where the setting of the account applies. */
type PropertyValues = Record<SubscriptionProperty, string | boolean | null>;

const columns = Object.entries(subscriptionPropertyTable);

const LOCK = `
  SELECT s.channel_id AS "channelId", c.archived_at IS NOT NULL AS "isArchived",
    ${columns.map(([name, { column }]) => `s.${column} AS ${name}`).join(', ')}
  FROM subscriptions s JOIN channels c ON c.id = s.channel_id
  WHERE s.user_id = $1 AND s.channel_id = ANY($2::int[]) AND s.is_active
  ORDER BY s.channel_id FOR NO KEY UPDATE OF s`;

const STORE = `
  UPDATE subscriptions s SET ${columns.map(([name, { column }]) => `${column} = new.${name}`).join(', ')}
  FROM jsonb_to_recordset($2::jsonb)
    AS new (channel_id int, ${columns.map(([name, { kind }]) => `${name} ${kind === 'color' ? 'text' : 'boolean'}`).join(', ')})
  WHERE s.user_id = $1 AND s.channel_id = new.channel_id`;

const SELECT_INHERITING = `
  SELECT s.user_id AS "userId", own.property, c.archived_at IS NOT NULL AS "isArchived",
    array_agg(s.channel_id ORDER BY s.channel_id) AS "channelIds"
  FROM subscriptions s JOIN channels c ON c.id = s.channel_id, LATERAL (VALUES
    ${columns
      .filter(([, { kind }]) => kind === 'inheriting switch')
      .map(([name, { column }]) => `('${name}', s.${column})`)
      .join(', ')}
  ) AS own (property, value)
  WHERE s.user_id = ANY($1::int[]) AND own.value IS NULL AND own.property = ANY($2::text[])
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

/** The channels of subscriptions without an own value of a property, in ascending order. */
interface InheritingSubscriptions {
  readonly userId: number;
  readonly property: SubscriptionProperty;
  /** Whether all the channels are archived, or none. */
  readonly isArchived: boolean;
  readonly channelIds: readonly number[];
}

/** Reads and writes the settings of subscriptions. */
@Injectable()
export class SubscriptionSettingsRepository {
  /** The settings of the active subscriptions of a user to these channels, locked until the end of the transaction. */
  async lock(
    transaction: Transaction,
    userId: number,
    channelIds: readonly number[],
  ): Promise<
    ReadonlyMap<number, { readonly isArchived: boolean; readonly values: Readonly<PropertyValues> }>
  > {
    const rows = await transaction.query<
      PropertyValues & { readonly channelId: number; readonly isArchived: boolean }
    >('lock_subscription_settings', LOCK, [userId, channelIds]);
    return new Map(
      rows.map(({ channelId, isArchived, ...values }) => [channelId, { isArchived, values }]),
    );
  }

  /** Stores all settings of locked subscriptions: one statement. */
  async store(
    transaction: Transaction,
    userId: number,
    values: ReadonlyMap<number, PropertyValues>,
  ): Promise<void> {
    const rows = [...values].map(([id, settings]) => ({ channel_id: id, ...settings }));
    await transaction.query('store_subscription_settings', STORE, [userId, JSON.stringify(rows)]);
  }

  /** The subscriptions of accounts, former ones included, that have no own value of these properties. */
  async inheriting(
    transaction: Transaction,
    userIds: readonly number[],
    properties: readonly SubscriptionProperty[],
  ): Promise<InheritingSubscriptions[]> {
    const values = [userIds, properties];
    return transaction.query('inheriting_subscriptions', SELECT_INHERITING, values);
  }
}
