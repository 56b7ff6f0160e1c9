import type { QueueOptions } from '#events/declarations';

export type Row = Record<string, unknown>;

/** The account and the options of a client, which decide how it applies events. */
export interface Viewer {
  readonly userId: number;
  readonly options: Pick<QueueOptions, 'includeSubscribers' | 'capabilities'>;
}

/** The answer of a registration, which the events of its queue change. */
export type State = Record<string, unknown>;

/** The rows of a list in the state; none if the client did not ask for the list. */
export const rowsOf = (state: State, member: string): Row[] => (state[member] ?? []) as Row[];

export const idsOf = (value: unknown): number[] => value as number[];

export const ascending = (one: number, other: number): number => one - other;

/** The union of both, in ascending order. */
export const joined = (one: readonly number[], other: readonly number[]): number[] =>
  [...new Set([...one, ...other])].toSorted(ascending);

export const without = (one: readonly number[], other: readonly number[]): number[] =>
  one.filter((id) => !other.includes(id));

/** Replaces the row with the same id, or adds the row. */
export function put(state: State, member: string, row: Row, id = 'id'): void {
  if (!(member in state)) return;
  const others = rowsOf(state, member).filter((one) => one[id] !== row[id]);
  state[member] = [...others, row];
}

/** Removes the row with this id. */
export function drop(state: State, member: string, value: unknown, id = 'id'): void {
  if (!(member in state)) return;
  state[member] = rowsOf(state, member).filter((one) => one[id] !== value);
}
