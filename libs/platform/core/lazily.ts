/**
 * A value that is made for its first reader and then kept: for what takes long to load, and few programs need. A failure
 * is thrown, and the next reader tries again.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
