import type { z } from 'zod';
import { json, type Parameter, text } from '#platform/http';
import { declarations, type GivenOf, type PropertyName } from './channel-property-table.rules.js';

type PropertyParameters = {
  readonly [Name in PropertyName]: Parameter<GivenOf<Name> | undefined>;
};

/** The parameters of a new channel. */
// fromEntries loses the types of the members.
export const newPropertyParameters = Object.fromEntries(
  declarations.map(([name, { encoding, given, initial, meaning }]) => {
    const schema = initial === null ? given.optional() : given.default(initial);
    return [name, parameterOf(encoding, schema, meaning.ofNew)];
  }),
) as PropertyParameters;

/** The parameters of a change. */
// fromEntries loses the types of the members.
export const changedPropertyParameters = Object.fromEntries(
  declarations.map(([name, { encoding, given, meaning }]) => [
    name,
    parameterOf(encoding, given.optional(), meaning.ofChange),
  ]),
) as PropertyParameters;

function parameterOf(
  encoding: 'json' | 'text',
  schema: z.ZodType,
  description: string,
): Parameter<unknown> {
  return encoding === 'json' ? json(schema, { description }) : text(schema, { description });
}
