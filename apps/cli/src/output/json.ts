/** A value that can be printed as JSON. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Formats a value as indented JSON. */
export const jsonText = (value: Json): string => JSON.stringify(value, null, 2);
