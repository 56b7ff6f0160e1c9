import { Injectable } from '@nestjs/common';
import { Database, Prisma, type Session } from '#platform/database';
import { type TopicsPolicy, topicsPolicyOf } from './topics/topics-policy.rules.js';

/** The row of a channel. */
export type StoredChannel = Omit<Prisma.ChannelGetPayload<object>, 'firstMessageId'> & {
  readonly firstMessageId: number | null;
};

/** A channel with one account's relation to it. */
export interface ChannelForUser {
  readonly channel: StoredChannel;
  readonly isSubscribed: boolean;
  /** The present role of the account, which may have changed since the sign-in. */
  readonly role: number;
  /** Of the channel, or of the organisation if the channel inherits it. */
  readonly topicsPolicy: TopicsPolicy;
}

/** The column of a member of StoredChannel. */
export const columnOf = (field: keyof StoredChannel): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const selected = (field: keyof StoredChannel): string => {
  const column = `c.${columnOf(field)}`;
  // The column may be widened while statements are prepared: the type of a result must not change.
  return `${column}${field === 'firstMessageId' ? '::bigint' : ''} AS "${field}"`;
};

/** The columns of the table channels (alias `c`) under the names of StoredChannel. */
export const CHANNEL_COLUMNS = Object.values(Prisma.ChannelScalarFieldEnum)
  .map(selected)
  .join(', ');

const SELECT_FOR_USER = `
  SELECT ${CHANNEL_COLUMNS}, s.user_id IS NOT NULL AS "isSubscribed", u.role,
    r.topics_policy AS "realmTopicsPolicy"
  FROM channels c JOIN realms r ON r.id = c.realm_id JOIN users u ON u.id = $3
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $3 AND s.is_active
  WHERE c.realm_id = $1 AND c.id = $2`;

const SELECT_NAMED = `
  SELECT id FROM channels WHERE realm_id = $1 AND name_key(name) = name_key($2)
  ORDER BY name = $2 DESC, lower(name) = lower($2) DESC, id LIMIT 1`;

/** Single channels, by name or for an account. */
@Injectable()
export class ChannelRepository {
  constructor(private readonly database: Database) {}

  /** The channel with this name, preferring the exact spelling; null when it does not exist. */
  async idNamed(realmId: number, name: string): Promise<number | null> {
    const values = [realmId, name.replaceAll('\0', '')];
    const [row] = await this.database.query<{ id: number }>('channel_named', SELECT_NAMED, values);
    return row?.id ?? null;
  }

  /** A channel of the organisation, and whether the account is subscribed to it; null when it does not exist. */
  async findForUser(
    realmId: number,
    channelId: number,
    userId: number,
    session: Session = this.database,
  ): Promise<ChannelForUser | null> {
    const [found] = await session.query<
      StoredChannel &
        Omit<ChannelForUser, 'channel' | 'topicsPolicy'> & { realmTopicsPolicy: string }
    >('channel_for_user', SELECT_FOR_USER, [realmId, channelId, userId]);
    if (found === undefined) return null;
    const { isSubscribed, role, realmTopicsPolicy, ...channel } = found;
    return {
      channel,
      isSubscribed,
      role,
      topicsPolicy: topicsPolicyOf(channel.topicsPolicy, realmTopicsPolicy),
    };
  }
}
