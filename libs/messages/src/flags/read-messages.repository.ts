import { Inject, Injectable } from '@nestjs/common';
import { Database, type Session } from '#database';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../notify/message-notifier.js';

/** Which rows become read. */
export interface Reading {
  /** Of the prepared statement. */
  readonly name: string;
  /**
   * What a SELECT of rows `um` of `user_messages` has from behind FROM to the end of WHERE; rows that are
   * read already may be among them.
   */
  readonly rows: string;
  readonly values: readonly unknown[];
  /** Whether all of the rows are wanted to be known, or none. */
  readonly areTold: boolean;
}

interface HeldRow {
  user_id: number;
  message_id: number;
  is_on_screen: boolean;
}

const ALWAYS = 'true';
const NOTHING_ON_SCREENS = 'NOT EXISTS (SELECT 1 FROM held WHERE is_pushed)';

// Whoever changes several rows of an account locks them in the order of their messages: two who took them
// in different orders would wait for each other. Only what is unread can be on a screen.
const reading = ({ rows, areTold }: Reading, condition: string): string => `
  WITH held AS (
    SELECT um.user_id, um.message_id, um.is_read, um.is_pushed FROM ${rows}
    ORDER BY um.user_id, um.message_id
    FOR NO KEY UPDATE OF um
  ),
  read AS (
    UPDATE user_messages SET is_read = true, is_pushed = false FROM held
    WHERE user_messages.user_id = held.user_id AND user_messages.message_id = held.message_id
      AND (NOT held.is_read OR held.is_pushed) AND ${condition}
  )
  SELECT user_id, message_id, is_pushed AS is_on_screen FROM held WHERE is_pushed OR ${areTold}
  ORDER BY user_id, message_id`;

/** Marks messages as read, and so takes from the screens of phones what is notified there. */
@Injectable()
export class ReadMessagesRepository {
  constructor(
    private readonly database: Database,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * Resolves with the ids of the messages, if they are to be told. One statement where nothing of them is on
   * a screen; else that statement changes nothing, and it is all done in a transaction with what takes it back.
   */
  async mark(wanted: Reading): Promise<number[]> {
    const { name, values } = wanted;
    const statement = reading(wanted, NOTHING_ON_SCREENS);
    const rows = await this.database.query<HeldRow>(name, statement, values);
    if (rows.some((row) => row.is_on_screen)) {
      const begin = await this.database.transaction((session) => this.markWithin(session, wanted));
      begin();
    }
    return rows.map((row) => row.message_id);
  }

  /** The same in a transaction of the caller's, who calls what this resolves with once it has committed. */
  async markWithin(session: Session, wanted: Reading): Promise<() => void> {
    const { name, values } = wanted;
    const statement = reading({ ...wanted, areTold: false }, ALWAYS);
    const rows = await session.query<HeldRow>(`${name}_on_screens`, statement, values);
    if (rows.length === 0) return () => undefined;
    return this.notifier.read(
      session,
      rows.map((row) => ({ userId: row.user_id, messageId: row.message_id })),
    );
  }
}
