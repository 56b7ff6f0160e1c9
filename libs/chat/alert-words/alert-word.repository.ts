import { Injectable } from '@nestjs/common';
import { Database, lockList, type Session, type Transaction } from '#platform/database';

/** A word that a message may have, and its account. */
interface WordOfAccount {
  readonly userId: number;
  readonly folded: string;
}

const LIST = `SELECT word FROM alert_words WHERE user_id = $1 ORDER BY folded LIMIT 10000`;

const ADD = `
  INSERT INTO alert_words (user_id, realm_id, word, folded, first_run)
  SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[])
  ON CONFLICT (user_id, folded) DO NOTHING
  RETURNING folded`;

const REMOVE = `
  DELETE FROM alert_words WHERE user_id = $1 AND folded = ANY($2::text[]) RETURNING folded`;

const FIND = `
  SELECT user_id AS "userId", folded FROM alert_words
  WHERE realm_id = $1 AND first_run = ANY($2::text[])`;

/** The words whose messages are flagged for an account. */
@Injectable()
export class AlertWordRepository {
  constructor(private readonly database: Database) {}

  /** The words of an account in alphabetical order, as the account has written them. */
  async list(userId: number, session: Session = this.database): Promise<string[]> {
    const rows = await session.query<{ word: string }>('alert_words_of_account', LIST, [userId]);
    return rows.map(({ word }) => word);
  }

  /** Waits for other changes of the words of an account, and blocks them until the end of the transaction. */
  async lock(transaction: Transaction, userId: number): Promise<void> {
    await lockList(transaction, { table: 'alert_words' }, userId);
  }

  /** Adds those of the words that the account does not have, and resolves with their number. */
  async add(
    transaction: Transaction,
    { userId, realmId }: { readonly userId: number; readonly realmId: number },
    words: readonly { readonly word: string; readonly folded: string; readonly firstRun: string }[],
  ): Promise<number> {
    const added = await transaction.query('add_alert_words', ADD, [
      userId,
      realmId,
      words.map(({ word }) => word),
      words.map(({ folded }) => folded),
      words.map(({ firstRun }) => firstRun),
    ]);
    return added.length;
  }

  /** Removes words and resolves with the number of those that the account had. */
  async remove(
    transaction: Transaction,
    userId: number,
    folded: readonly string[],
  ): Promise<number> {
    const values = [userId, folded];
    return (await transaction.query('remove_alert_words', REMOVE, values)).length;
  }

  /** The words of all accounts of an organisation that begin with one of the runs. */
  async beginningWith(realmId: number, runs: readonly string[]): Promise<WordOfAccount[]> {
    return this.database.query<WordOfAccount>('alert_words_in_text', FIND, [realmId, runs]);
  }
}
