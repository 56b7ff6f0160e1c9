import type { NarrowQuery } from '../narrows/narrow-resolver.js';
import { ReaderParameters } from '../narrows/reader-parameters.js';
import { SqlParameters } from '../narrows/sql-parameters.js';
import { MESSAGE_COLUMNS, MESSAGE_JOINS, RECEIVED_COLUMN } from '../reading/message.repository.js';
import { channelJoins, isReadableBy } from '../reading/readable-messages.js';
import { BYTES_OF_ESCAPES, BYTES_OF_MATCH, BYTES_OF_MESSAGE } from '../reading/message-bytes.js';

/** The messages of a narrow on one side of an id, the nearest first. */
export interface Side {
  readonly bound: { readonly is: '<' | '<=' | '>' | '>=' | '='; readonly id: number } | null;
  readonly direction: 'ASC' | 'DESC';
  readonly limit: number;
}

const RECEIVED = 'coalesce(NOT um.is_historical, false)';

/** One statement about the messages that one account may read. */
export class NarrowStatement {
  readonly #sql = new SqlParameters();
  readonly #reader: ReaderParameters;
  readonly #joins: string;

  constructor(private readonly resolved: NarrowQuery) {
    this.#reader = new ReaderParameters(this.#sql, resolved.reader);
    this.#joins = channelJoins(this.#reader.userId());
  }

  get values(): readonly unknown[] {
    return this.#sql.values;
  }

  /** SQL: the ids on one side. */
  side({ bound, direction, limit }: Side): string {
    const { source } = this.resolved.narrow;
    const most = `${this.#sql.add(limit)}::int`;
    const id = bound === null ? null : `${bound.is} ${this.#sql.add(bound.id)}::bigint`;
    const within = id === null ? [] : [`m.id ${id}`];
    const order = `ORDER BY m.id ${direction} LIMIT ${most}`;
    switch (source) {
      case 'channel':
        return `SELECT m.id FROM messages m ${this.#joins} ${this.#where(within)} ${order}`;
      case 'shared':
        return `SELECT m.id FROM messages m ${this.#joins}
          ${this.#where([...within, this.#ofRealm(), this.#isReadable(this.#wasReceived())])} ${order}`;
      case 'direct':
        return `SELECT hit.id FROM direct_conversation_members own
          CROSS JOIN LATERAL (
            SELECT m.id FROM messages m
            JOIN user_messages um ON um.user_id = ${this.#reader.userId()} AND um.message_id = m.id
            ${this.#joins}
            ${this.#where(['m.conversation_id = own.conversation_id', ...within])} ${order}
          ) AS hit
          WHERE own.user_id = ${this.#reader.userId()} ${this.#withParticipants()} ORDER BY hit.id ${direction} LIMIT ${most}`;
      case 'received': {
        const own = [`um.user_id = ${this.#reader.userId()}`, this.#isReadable(RECEIVED)];
        const both = id === null ? own : [...own, ...within, `um.message_id ${id}`];
        return `SELECT m.id FROM user_messages um JOIN messages m ON m.id = um.message_id
          ${this.#joins} ${this.#where(both)} ${order}`;
      }
    }
  }

  /** SQL: those of some messages that are in the narrow, also if the account has not received them. */
  among(ids: readonly number[]): string {
    const conditions = [
      `m.id = ANY(${this.#sql.add(ids)}::bigint[])`,
      this.#ofRealm(),
      this.#isReadable(RECEIVED),
    ];
    return `SELECT m.id FROM messages m
      LEFT JOIN user_messages um ON um.user_id = ${this.#reader.userId()} AND um.message_id = m.id
      ${this.#joins} ${this.#where(conditions)}`;
  }

  /**
   * SQL: the messages with these ids, with the flags of the account. On each side of the anchor the nearest message, and
   * the next ones as long as all of them have at most some bytes. `found` is the number on the side without this limit.
   * First the lengths of all texts are compared, then the JSON of those that are short enough is.
   */
  messages(ids: string, anchor: number, maxBytes: number): string {
    const isSearch = this.resolved.narrow.searches.length > 0;
    const bytes = isSearch ? `${BYTES_OF_MESSAGE} + ${BYTES_OF_MATCH}` : BYTES_OF_MESSAGE;
    const distance = `m.id - ${this.#sql.add(anchor)}::bigint`;
    const most = `${this.#sql.add(maxBytes)}::bigint`;
    const windows = `WINDOW side AS (PARTITION BY sign(${distance})), nearest AS (side ORDER BY abs(${distance}))`;
    return `SELECT ${MESSAGE_COLUMNS}, ${RECEIVED_COLUMN}, m.found
      FROM (
        SELECT m.*, m.bytes + sum(${BYTES_OF_ESCAPES(isSearch)}) OVER nearest AS json_bytes
        FROM (
          SELECT m.*, count(*) OVER side AS found, row_number() OVER nearest AS place,
            sum(${bytes}) OVER nearest AS bytes
          FROM (${ids}) AS page JOIN messages m ON m.id = page.id ${windows}
        ) AS m WHERE m.place = 1 OR m.bytes <= ${most} ${windows}
      ) AS m ${MESSAGE_JOINS}
      LEFT JOIN user_messages um ON um.user_id = ${this.#reader.userId()} AND um.message_id = m.id
      WHERE m.place = 1 OR m.json_bytes <= ${most}
      ORDER BY m.id`;
  }

  #ofRealm(): string {
    return `m.realm_id = ${this.#reader.realmId()}`;
  }

  /** A condition on a conversation costs less than one on each of its messages. */
  #withParticipants(): string {
    const conditions = this.resolved.narrow.participants.map(
      (userId) => `AND EXISTS (
        SELECT FROM direct_conversation_members other
        WHERE other.conversation_id = own.conversation_id
          AND other.user_id = ${this.#sql.add(userId)}::int
      )`,
    );
    return conditions.join(' ');
  }

  #isReadable(isReceived: string): string {
    const reader = this.#reader;
    return isReadableBy(
      { userId: reader.userId(), role: reader.role(), groups: reader.groups() },
      isReceived,
    );
  }

  #wasReceived(): string {
    return `EXISTS (
      SELECT FROM user_messages um
      WHERE um.user_id = ${this.#reader.userId()} AND um.message_id = m.id AND NOT um.is_historical
    )`;
  }

  #where(more: readonly string[]): string {
    const { conditions } = this.resolved.narrow;
    const own = conditions.map((condition) => condition(this.#sql, this.#reader));
    return `WHERE ${[...more, ...own].map((one) => `(${one})`).join(' AND ')}`;
  }
}
