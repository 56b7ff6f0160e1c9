import { z } from 'zod';

/** A number from 1 to `most`, as a query carries it. */
export const limitedNumber = (most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `expected a number from 1 to ${most}`)
    .transform(Number)
    .refine((number) => number >= 1 && number <= most, `expected a number from 1 to ${most}`);
