/**
 * A value that is made for its first reader and then kept: for values that take long to load and that few programs need. After an
 * error of `make` the next reader tries again; a rejected promise is kept.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
