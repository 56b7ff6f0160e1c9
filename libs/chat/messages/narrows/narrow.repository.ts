import { Injectable } from '@nestjs/common';
import { roles } from '#directory/roles';
import { Database } from '#platform/database';
import {
  channelJoins,
  hasChannelContent,
  IS_HISTORY_SHARED,
  type SqlReader,
} from '../reading/readable-messages.js';
import type { NarrowReader } from './reader-parameters.js';

/** A channel that a term names, for one reader. */
export interface ChannelOfNarrow {
  readonly id: number;
  /** Whether the reader may know of the channel. */
  readonly isVisible: boolean;
  /** Whether the reader may read all its messages. */
  readonly isHistoryReadable: boolean;
}

/** An account that a term names. */
interface PersonOfNarrow {
  readonly id: number;
  /** In lower case. */
  readonly email: string;
}

const READER: SqlReader = { userId: '$2', role: '$3', groups: '$4::int[]' };

// Prefers the exact spelling of a name.
const SELECT_CHANNELS = `
  SELECT given.number::int, c.id, visible.content OR $3 <= ${roles.administrator}
      OR $3 < ${roles.guest} AND coalesce(c.can_administer_channel_id = ANY($4::int[]), false) AS "isVisible",
    visible.content AND ${IS_HISTORY_SHARED} AS "isHistoryReadable"
  FROM unnest($5::int[], $6::text[]) WITH ORDINALITY AS given (id, name, number)
  CROSS JOIN LATERAL (
    SELECT found.id FROM channels found
    WHERE found.realm_id = $1
      AND (found.id = given.id OR name_key(found.name) = name_key(given.name))
    ORDER BY found.name = given.name DESC, lower(found.name) = lower(given.name) DESC, found.id LIMIT 1
  ) AS m (channel_id)
  ${channelJoins('$2')}
  CROSS JOIN LATERAL (SELECT coalesce(${hasChannelContent(READER)}, false) AS content) AS visible`;

const SELECT_PEOPLE = `
  SELECT id, lower(email) AS email FROM users
  WHERE (realm_id = $1 OR is_system_bot)
    AND (id = ANY($2::int[]) OR lower(email) = ANY(ARRAY(SELECT lower(given) FROM unnest($3::text[]) AS given)))`;

const SELECT_CONVERSATIONS = `
  SELECT id, key FROM direct_conversations WHERE realm_id = $1 AND key = ANY($2::text[])`;

/** Looks up the names in narrows: one statement for all names of a kind. */
@Injectable()
export class NarrowRepository {
  constructor(private readonly database: Database) {}

  /** The channels by the names and ids in which terms give them; without those of other organisations. */
  async channels(
    { realmId, userId, role, groups }: NarrowReader,
    given: readonly (number | string)[],
  ): Promise<Map<number | string, ChannelOfNarrow>> {
    const ids = given.map((one) => (typeof one === 'number' ? one : null));
    const names = given.map((one) => (typeof one === 'string' ? one : null));
    const rows = await this.database.query<ChannelOfNarrow & { number: number }>(
      'narrow_channels',
      SELECT_CHANNELS,
      [realmId, userId, role, [...groups], ids, names],
    );
    const found = new Map<number | string, ChannelOfNarrow>();
    for (const { number, ...channel } of rows) {
      const name = given[number - 1];
      if (name !== undefined) found.set(name, channel);
    }
    return found;
  }

  /** The accounts of the organisation, and the bots of the server, with these ids or addresses. */
  async people(
    realmId: number,
    ids: readonly number[],
    emails: readonly string[],
  ): Promise<PersonOfNarrow[]> {
    const values = [realmId, ids, emails];
    return this.database.query<PersonOfNarrow>('narrow_people', SELECT_PEOPLE, values);
  }

  /** The ids of direct conversations by their keys. */
  async conversations(realmId: number, keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.query<{ id: number; key: string }>(
      'narrow_conversations',
      SELECT_CONVERSATIONS,
      [realmId, keys],
    );
    return new Map(rows.map(({ id, key }) => [key, id]));
  }
}
