import { type ApiError, isMessageId, isRowId } from '#contracts';
import { z } from 'zod';

interface ParameterNotes {
  readonly description: string;
  readonly isDeprecated?: boolean;
}

/** One declared parameter: how it is written on the wire, what it may be, and what is told of it. */
export interface Parameter<Value> extends ParameterNotes {
  /** `text` is taken as it stands; `json` is JSON text, as numbers, booleans, lists and objects are sent. */
  readonly encoding: 'text' | 'json';
  /** A header of this name instead of a field; whatever else goes by the name is passed over. */
  readonly isHeader?: true;
  readonly schema: z.ZodType<Value>;
  /** What it stands for when it is left out; null when it must not be. */
  readonly absent: { readonly value: Value } | null;
  /** The error for a value that the schema refuses, where the contract has a text of its own for it. */
  readonly refusal?: (given: string) => ApiError;
}

interface TextNotes extends ParameterNotes {
  readonly refusal?: (given: string) => ApiError;
}

/** A parameter that is taken as it stands. */
export const text = <Value>(schema: z.ZodType<Value>, notes: TextNotes): Parameter<Value> => ({
  encoding: 'text',
  schema,
  absent: absentValue(schema),
  ...notes,
});

/** A text that is sent as the header that the parameter is named after, as it is usually written. */
export const header = <Value>(schema: z.ZodType<Value>, notes: TextNotes): Parameter<Value> => ({
  ...text(schema, notes),
  isHeader: true,
});

/** A parameter that is sent as JSON text: `true`, `5`, `[1,2]`. */
export const json = <Value>(schema: z.ZodType<Value>, notes: ParameterNotes): Parameter<Value> => ({
  encoding: 'json',
  schema,
  absent: absentValue(schema),
  ...notes,
});

/** The number of a row. One that no row can have is as unknown as one that none has: it stands as 0. */
export const identifier = (description: string): Parameter<number> =>
  json(numberOf(isRowId), { description });

/** The same for the number of a message, which may be greater. */
export const messageIdentifier = (description: string): Parameter<number> =>
  json(numberOf(isMessageId), { description });

const numberOf = (isNumber: (given: number) => boolean) =>
  z
    .preprocess((given) => (isInteger(given) && !isNumber(given) ? 0 : given), z.int())
    .meta({ type: 'integer' });

const isInteger = (given: unknown): given is number => Number.isInteger(given);

function absentValue<Value>(schema: z.ZodType<Value>): { readonly value: Value } | null {
  const parsed = schema.safeParse(undefined);
  return parsed.success ? { value: parsed.data } : null;
}
