import type { SqlParameters } from './sql-parameters.js';

/** An account that reads messages. */
export interface NarrowReader {
  readonly userId: number;
  readonly realmId: number;
  readonly role: number;
  readonly groups: ReadonlySet<number>;
}

/**
 * SQL: the placeholders of an account that reads messages. A method adds its value to the statement with the first call:
 * PostgreSQL refuses a statement with values that it does not use.
 */
export class ReaderParameters {
  readonly #placeholders = new Map<keyof NarrowReader, string>();

  constructor(
    private readonly sql: SqlParameters,
    private readonly reader: NarrowReader,
  ) {}

  userId(): string {
    return this.#placeholderOf('userId', 'int', this.reader.userId);
  }

  realmId(): string {
    return this.#placeholderOf('realmId', 'int', this.reader.realmId);
  }

  role(): string {
    return this.#placeholderOf('role', 'int', this.reader.role);
  }

  groups(): string {
    return this.#placeholderOf('groups', 'int[]', [...this.reader.groups]);
  }

  #placeholderOf(name: keyof NarrowReader, type: string, value: unknown): string {
    const placeholder = this.#placeholders.get(name) ?? `${this.sql.add(value)}::${type}`;
    this.#placeholders.set(name, placeholder);
    return placeholder;
  }
}
