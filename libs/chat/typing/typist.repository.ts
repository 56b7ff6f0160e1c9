import { Injectable } from '@nestjs/common';
import { IS_HISTORY_SHARED } from '#chat/messages';
import { roles } from '#directory/roles';
import { Database } from '#platform/database';

/** The account that is typing. */
interface Typist {
  readonly email: string;
  readonly sendsDirect: boolean;
  readonly sendsInChannels: boolean;
}

/** An account that may get the event. */
export interface TypingReader {
  readonly id: number;
  readonly email: string;
  readonly isGuest: boolean;
  /** Whether the account is active, wants the event, and may read the message that it names. */
  readonly wantsEvent: boolean;
}

const setting = (name: string): string =>
  `coalesce((u.display_settings ->> '${name}')::boolean, true)`;

const TYPIST = `
  SELECT u.email, ${setting('send_private_typing_notifications')} AS "sendsDirect",
    ${setting('send_stream_typing_notifications')} AS "sendsInChannels"
  FROM users u WHERE u.id = $1`;

const readerIf = (mayRead: string): string => `
  u.id, u.email, u.role >= ${roles.guest} AS "isGuest",
  u.is_active AND ${setting('receives_typing_notifications')} AND ${mayRead} AS "wantsEvent"`;

const PEOPLE = `SELECT ${readerIf('true')} FROM users u WHERE u.id = ANY($1::int[]) ORDER BY u.id`;

// Where newcomers do not see the history, they learn neither of a message from before nor of its topic.
const MAY_READ = `(
  $3::bigint IS NULL OR ${IS_HISTORY_SHARED} OR EXISTS (
    SELECT FROM user_messages um
    WHERE um.user_id = u.id AND um.message_id = $3::bigint AND NOT um.is_historical
  )
)`;

const SUBSCRIBERS = `
  SELECT ${readerIf(MAY_READ)}
  FROM subscriptions s JOIN users u ON u.id = s.user_id JOIN channels c ON c.id = s.channel_id
  WHERE s.channel_id = $1 AND s.is_active AND u.is_active LIMIT $2`;

/** Reads the typing account and the accounts that may get the event. */
@Injectable()
export class TypistRepository {
  constructor(private readonly database: Database) {}

  /** Rejects with an Error for an unknown id. */
  async typist(userId: number): Promise<Typist> {
    const [found] = await this.database.query<Typist>('typist', TYPIST, [userId]);
    if (found === undefined) throw new Error(`There is no account ${userId}`);
    return found;
  }

  /** By ascending id. */
  async people(userIds: readonly number[]): Promise<TypingReader[]> {
    return this.database.query<TypingReader>('typing_people', PEOPLE, [userIds]);
  }

  /** The active subscribers of a channel, at most `limit`. `messageId`: the message that the event names, if any. */
  async subscribers(
    channelId: number,
    limit: number,
    messageId: number | null,
  ): Promise<TypingReader[]> {
    const values = [channelId, limit, messageId];
    return this.database.query<TypingReader>('typing_subscribers', SUBSCRIBERS, values);
  }
}
