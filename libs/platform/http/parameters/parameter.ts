import { type ApiError, firstUnprintable, isMessageId, isRowId } from '#platform/contracts';
import { z } from 'zod';

interface ParameterNotes {
  readonly description: string;
  readonly isDeprecated?: boolean;
}

/** The declaration of one parameter. */
export interface Parameter<Value> extends ParameterNotes {
  /** `text` is used unchanged; `json` is parsed: numbers, booleans, lists and objects. */
  readonly encoding: 'text' | 'json';
  /** A header instead of a field; a field of the same name is ignored, like an undeclared one. */
  readonly isHeader?: true;
  /** The whole body of the request, with any content type. */
  readonly isBody?: boolean;
  /** The maximum number of members in the JSON text, in place of the common limit. */
  readonly memberLimit?: number;
  readonly schema: z.ZodType<Value>;
  /** The value of a missing parameter; null for a required one. */
  readonly absent: { readonly value: Value } | null;
  /** The error for a value that the schema rejects, if the contract defines one. */
  readonly refusal?: (given: string) => ApiError;
}

interface TextNotes extends ParameterNotes {
  readonly refusal?: (given: string) => ApiError;
}

/** A parameter that is used unchanged. */
export const text = <Value>(schema: z.ZodType<Value>, notes: TextNotes): Parameter<Value> => ({
  encoding: 'text',
  schema,
  absent: absentValue(schema),
  ...notes,
});

/** A parameter that is sent as the header of its name. */
export const header = <Value>(schema: z.ZodType<Value>, notes: TextNotes): Parameter<Value> => ({
  ...text(schema, notes),
  isHeader: true,
});

interface JsonNotes extends ParameterNotes {
  readonly memberLimit?: number;
}

/** A parameter that is sent as JSON text: `true`, `5`, `[1,2]`. */
export const json = <Value>(schema: z.ZodType<Value>, notes: JsonNotes): Parameter<Value> => ({
  encoding: 'json',
  schema,
  absent: absentValue(schema),
  ...notes,
});

/** A parameter that is the whole body of the request, a JSON object. */
export const jsonBody = <Value>(schema: z.ZodType<Value>, notes: JsonNotes): Parameter<Value> => ({
  ...json(schema, notes),
  absent: null,
  isBody: true,
});

/** The id of a row. An id outside of the range of the column becomes 0, the id of no row. */
export const identifier = (description: string): Parameter<number> =>
  json(numberOf(isRowId), { description });

const numberOf = (isNumber: (given: number) => boolean) =>
  z
    .preprocess((given) => (isInteger(given) && !isNumber(given) ? 0 : given), z.int())
    .meta({ type: 'integer' });

const isInteger = (given: unknown): given is number => Number.isInteger(given);

/** The id of a message, which may be greater than that of another row. */
export const messageId: Parameter<number> = json(numberOf(isMessageId), {
  description: 'The id of the message.',
});

function absentValue<Value>(schema: z.ZodType<Value>): { readonly value: Value } | null {
  const parsed = schema.safeParse(undefined);
  return parsed.success ? { value: parsed.data } : null;
}

/**
 * A text of at most `maximum` Unicode code points, as the contract counts characters; the `max` of zod counts UTF-16 units.
 */
export const limitedText = (maximum: number): z.ZodString =>
  z
    .string()
    .meta({ maxLength: maximum })
    .superRefine((given, context) => {
      // There are at most as many code points as UTF-16 units, and at least half as many.
      if (given.length <= maximum) return;
      if (given.length <= 2 * maximum && [...given].length <= maximum) return;
      context.addIssue({ code: 'too_big', origin: 'string', maximum, input: given });
    });

/** The same for a name that others read: without characters that cannot be shown, or that hide others. It may be empty. */
export const limitedName = (maximum: number): z.ZodString =>
  limitedText(maximum).superRefine((given, context) => {
    if (given.trim() === '' || firstUnprintable(given.trim()) === null) return;
    context.addIssue({ code: 'invalid_format', format: 'name', input: given });
  });
