/** The values of a statement that is put together from parts. */
export class SqlParameters {
  readonly #values: unknown[] = [];

  get values(): readonly unknown[] {
    return this.#values;
  }

  /** Adds a value; returns its placeholder. */
  add(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }
}
