import { Injectable } from '@nestjs/common';
import type { TopicPlace } from '#chat/user-topics';
import { Database, type Session } from '#platform/database';
import type { RecipientReference } from './destination.rules.js';

/** A possible recipient of a message. */
export interface Recipient {
  readonly id: number;
  /** The address that other users see. */
  readonly email: string;
  readonly isActive: boolean;
  readonly isSystemBot: boolean;
}

const SELECT_TOPIC = `
  SELECT 1 FROM messages
  WHERE channel_id = $1 AND lower(topic) = lower($2) AND id <> $3::bigint LIMIT 1`;

const recipientsWhere = (condition: string): string => `
  SELECT id, email, is_active AS "isActive", is_system_bot AS "isSystemBot" FROM users
  WHERE (realm_id = $1 OR is_system_bot) AND ${condition}`;

const SELECT_BY_ID = recipientsWhere('id = ANY($2::int[])');
const SELECT_BY_EMAIL = recipientsWhere(
  'lower(email) = ANY(ARRAY(SELECT lower(given) FROM unnest($2::text[]) AS given))',
);

/** Finds the topics and recipients of messages. */
@Injectable()
export class DestinationRepository {
  constructor(private readonly database: Database) {}

  /** Whether the topic has a message other than the given one. */
  async hasTopic(
    { channelId, topic }: TopicPlace,
    messageId = 0,
    session: Session = this.database,
  ): Promise<boolean> {
    const values = [channelId, topic, messageId];
    return (await session.query('channel_has_topic', SELECT_TOPIC, values)).length > 0;
  }

  /** The existing accounts among the recipients, including the server's bots. Ids must be valid row ids. */
  async people(realmId: number, people: RecipientReference): Promise<Recipient[]> {
    return 'ids' in people
      ? this.database.query<Recipient>('recipients_by_id', SELECT_BY_ID, [realmId, people.ids])
      : this.database.query<Recipient>('recipients_by_email', SELECT_BY_EMAIL, [
          realmId,
          people.emails,
        ]);
  }
}
