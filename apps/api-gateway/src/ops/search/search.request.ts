import { isRowId } from '#contracts';
import { z } from 'zod';
import { limitedNumber } from '../limited-number.js';

const MOST_FOUND = 100;

const rowId = (what: string) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `expected the number of ${what}`)
    .transform(Number)
    .refine(isRowId, `expected the number of ${what}`);

const share = { limit: limitedNumber(MOST_FOUND).default(20) };

/** What is asked about: one of these, and for an e-mail address the organisation that it is of. */
const questions = {
  notification: z.strictObject({
    ...share,
    notification: z.guid('expected the id of a notification, such as 0198c0de-…'),
  }),
  user: z.strictObject({ ...share, user: rowId('an account') }),
  device: z.strictObject({ ...share, device: rowId('a device') }),
  fingerprint: z.strictObject({
    ...share,
    fingerprint: z
      .string()
      .regex(
        /^[0-9a-f]{12}$/i,
        'expected the first 12 hexadecimal digits of the SHA-256 of a token',
      )
      .transform((digits) => digits.toLowerCase()),
  }),
  email: z.strictObject({
    ...share,
    email: z.string().min(1),
    /** The subdomain of the organisation; empty for that of the server's own name. */
    realm: z.string().default(''),
  }),
} as const;

type Question = { [Name in keyof typeof questions]: z.infer<(typeof questions)[Name]> };
export type SearchQuestion = Question[keyof Question];

const names = Object.keys(questions) as (keyof typeof questions)[];

/** Chooses the question by the one of its names that is given, so that what is wrong with it can be told. */
export const searchQuestion = z
  .record(z.string(), z.string('is given twice'))
  .transform((query, context): SearchQuestion => {
    const asked = names.filter((name) => name in query);
    const [name] = asked;
    if (name === undefined || asked.length > 1) {
      context.addIssue({ code: 'custom', message: `expected exactly one of ${names.join(', ')}` });
      return z.NEVER;
    }
    const parsed = questions[name].safeParse(query);
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) {
      context.addIssue({ code: 'custom', path, message });
    }
    return z.NEVER;
  });
