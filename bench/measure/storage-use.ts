import type { DatabaseMeter } from './database-meter.repository.js';

/** Smaller growths are those of other work. */
const LEAST_SHOWN = 0.5;

/** Sums the bytes that PostgreSQL writes during the measured periods: its write-ahead log, and the growth of its tables. */
export class StorageUse {
  #walBytes = 0;
  readonly #growth = new Map<string, { rows: number; indexes: number }>();

  constructor(private readonly database: DatabaseMeter) {}

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = await this.database.tableBytes();
    const walBefore = await this.database.walBytes();
    const result = await work();
    this.#walBytes += (await this.database.walBytes()) - walBefore;
    for (const [name, { rows, indexes }] of await this.database.tableBytes()) {
      const old = before.get(name) ?? { rows, indexes };
      const sum = this.#growth.get(name) ?? { rows: 0, indexes: 0 };
      sum.rows += rows - old.rows;
      sum.indexes += indexes - old.indexes;
      this.#growth.set(name, sum);
    }
    return result;
  }

  /** Bytes for each of `count`, by name: the log, all tables with indexes and dead rows, and the rows and indexes of each table. */
  per(count: number): Record<string, number> {
    const tables = [...this.#growth].filter(
      ([, { rows, indexes }]) => (rows + indexes) / count >= LEAST_SHOWN,
    );
    const bytes = tables.reduce((sum, [, { rows, indexes }]) => sum + rows + indexes, 0);
    return {
      wal: this.#walBytes / count,
      tables: bytes / count,
      ...Object.fromEntries(
        tables.flatMap(([name, growth]) => [
          [name, growth.rows / count],
          [`indexes of ${name}`, growth.indexes / count],
        ]),
      ),
    };
  }
}
