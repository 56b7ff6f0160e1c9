import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';

/** A change that an operator has made. */
export interface OperatorAction {
  /** The name of the action, such as `servers.stop`. */
  readonly action: string;
  /** The changed object, such as the host of a server. */
  readonly target: string;
  /** Contains no secret, no token and no text of a message. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A recorded action. */
export interface RecordedAction extends Required<OperatorAction> {
  readonly doneAt: Date;
  /** `ops`, or `cli:` and the user of the operating system. */
  readonly actor: string;
}

/** The newest actions that are kept. */
const MAX_KEPT = 10_000;

// Rolled back inserts leave gaps between the ids, so that somewhat fewer may be kept.
const ADD = `
  WITH old AS (
    DELETE FROM operator_actions WHERE id <= (SELECT max(id) FROM operator_actions) - $5::bigint
  )
  INSERT INTO operator_actions (actor, action, target, details) VALUES ($1, $2, $3, $4)`;

const LIST = `
  SELECT actor, action, target, details, done_at AS "doneAt"
  FROM operator_actions ORDER BY id DESC LIMIT $1`;

/** Stores the newest actions of operators. */
@Injectable()
export class OperatorActionRepository {
  constructor(private readonly database: Database) {}

  /** Adds an action, and removes those that are too old. */
  async add(
    actor: string,
    { action, target, details = {} }: OperatorAction,
    session: Session = this.database,
  ): Promise<void> {
    const values = [actor, action, target, JSON.stringify(details), MAX_KEPT];
    await session.query('add_operator_action', ADD, values);
  }

  /** The newest first. */
  list(limit: number): Promise<RecordedAction[]> {
    return this.database.query<RecordedAction>('list_operator_actions', LIST, [limit]);
  }
}
