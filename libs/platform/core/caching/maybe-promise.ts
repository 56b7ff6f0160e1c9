/** A value that is there at once if possible: a promise delays hot paths by a turn and takes memory. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Maps a value other than null: at once if it is there, otherwise when the promise resolves. */
export function mapMaybe<Value, Mapped>(
  given: MaybePromise<Value | null>,
  map: (value: Value) => Mapped,
): MaybePromise<Mapped | null> {
  const mapped = (value: Value | null) => (value === null ? null : map(value));
  return given instanceof Promise ? given.then(mapped) : mapped(given);
}
