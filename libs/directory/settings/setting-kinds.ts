import { z } from 'zod';
import type { QuietHours } from './quiet-hours.rules.js';

/** The value of a setting. */
export type SettingValue =
  string | number | boolean | null | readonly (string | number | QuietHours)[];

/** The declaration of one setting. It defines the validation, the storage, the report and the reference. */
export interface Setting<Value extends SettingValue> {
  /** How a request sends the value: as JSON, or as a text that is taken as it stands. */
  readonly encoding: 'json' | 'text';
  readonly schema: z.ZodType<Value>;
  /** The value of an account that has not chosen one. */
  readonly initial: Value;
  /** The permitted values, for the reference. */
  readonly takes: string;
  readonly meaning: string;
  /** The column of `users`. A setting without one is a member of the column `display_settings`. */
  readonly column?: string;
}

const NOT_LISTED = 'Not in the list of possible values';

/** A setting that is on or off. */
export const flag = (initial: boolean, meaning: string, column?: string): Setting<boolean> => ({
  encoding: 'json',
  schema: z.boolean(),
  initial,
  takes: 'true, false',
  meaning,
  ...(column !== undefined && { column }),
});

/** A setting with a list of numbers as its values. */
export const oneOfNumbers = (
  values: readonly number[],
  initial: number,
  meaning: string,
): Setting<number> => ({
  encoding: 'json',
  schema: z
    .int()
    .refine((given) => values.includes(given), NOT_LISTED)
    .meta({ enum: [...values] }),
  initial,
  takes: values.join(', '),
  meaning,
});

/** A setting with a list of texts as its values. */
export const oneOfTexts = (
  values: readonly string[],
  initial: string,
  meaning: string,
): Setting<string> => ({
  encoding: 'text',
  schema: z
    .string()
    .refine((given) => values.includes(given), NOT_LISTED)
    .meta({ enum: [...values] }),
  initial,
  takes: values.map((value) => `\`${value}\``).join(', '),
  meaning,
});

/** A setting with a range of whole numbers as its values. */
export const numberBetween = (
  least: number,
  greatest: number,
  initial: number,
  meaning: string,
  column?: string,
): Setting<number> => ({
  encoding: 'json',
  schema: z.int().min(least).max(greatest),
  initial,
  takes: `${least} to ${greatest}`,
  meaning,
  ...(column !== undefined && { column }),
});

/** A setting with a list as its value: an account that has chosen none has an empty one. */
export const list = <Item extends string | number | QuietHours>(
  schema: z.ZodType<readonly Item[]>,
  takes: string,
  meaning: string,
): Setting<readonly Item[]> => ({ encoding: 'json', schema, initial: [], takes, meaning });
