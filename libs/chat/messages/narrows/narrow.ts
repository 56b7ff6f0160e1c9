import type { ReaderParameters } from './reader-parameters.js';
import type { SqlParameters } from './sql-parameters.js';
import type { SearchText } from './term.js';

/**
 * SQL: a condition on a message `m` with its channel `c`, the subscription `s` of the reader to it, and the row `um` of
 * the reader. A condition on the row is only in narrows whose messages have one.
 */
export type Condition = (sql: SqlParameters, reader: ReaderParameters) => string;

/**
 * The messages among which a narrow finds its own: those that the reader has received, those of the reader's direct
 * conversations, all messages of channels with a shared history, or all of one such channel that the reader may read.
 */
export type NarrowSource = 'received' | 'direct' | 'shared' | 'channel';

/** A narrow with its names looked up, for one reader. */
export interface Narrow {
  readonly source: NarrowSource;
  /** All must hold. */
  readonly conditions: readonly Condition[];
  /** The subject of the narrow, which is included even if the reader has muted it. */
  readonly isOf: {
    readonly channel: boolean;
    readonly topic: boolean;
    readonly person: boolean;
  };
  /** Users who take part in all direct conversations of the narrow, beside the reader. */
  readonly participants: readonly number[];
  /** The searches that matches are highlighted for. */
  readonly searches: readonly SearchText[];
}
