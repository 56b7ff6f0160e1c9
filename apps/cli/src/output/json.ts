/** Anything that is written as JSON. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** One object, whole, on lines of its own. */
export const jsonText = (value: Json): string => JSON.stringify(value, null, 2);
