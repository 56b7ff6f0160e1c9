import { Inject, Injectable, Logger } from '@nestjs/common';
import { errorText } from '#platform/core';
import type { Transaction } from '#platform/database';
import {
  type OperatorAction,
  OperatorActionRepository,
  type RecordedAction,
} from './operator-action.repository.js';

/** DI token: the actor of all actions in this program. */
export const OPERATOR = Symbol('Operator');

/** Records the changes that operators make: as rows, and in the log. */
@Injectable()
export class OperatorActions {
  readonly #logger = new Logger(OperatorActions.name);

  constructor(
    private readonly actions: OperatorActionRepository,
    @Inject(OPERATOR) private readonly operator: string,
  ) {}

  /**
   * Records a change of PostgreSQL in its transaction. A change of another store has no transaction: it is recorded when
   * it is done, and then a failure is only logged, because the change stays.
   */
  async record(action: OperatorAction, transaction?: Transaction): Promise<void> {
    if (transaction !== undefined) {
      await this.actions.add(this.operator, action, transaction);
      transaction.afterCommit(() => this.#log(action));
      return;
    }
    this.#log(action);
    try {
      await this.actions.add(this.operator, action);
    } catch (error) {
      this.#logger.warn(`${action.action} was done and not recorded: ${errorText(error)}`);
    }
  }

  /** The newest first. */
  list(limit: number): Promise<RecordedAction[]> {
    return this.actions.list(limit);
  }

  #log({ action, target, details = {} }: OperatorAction): void {
    const fields = { operator: this.operator, action, target, details };
    this.#logger.log({ message: 'An operator has made a change', ...fields });
  }
}
