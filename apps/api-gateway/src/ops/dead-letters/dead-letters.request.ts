import { type DeadLetterChoice, type DeadLetterKey, parseDeadLetterId } from '#push';
import { z } from 'zod';
import { limitedNumber } from '../limited-number.js';

const MOST_LISTED = 200;
const MOST_IDS = 1000;
const ONE_OF_THREE = 'expected exactly one of ids, reason and all=true';

/** Which dead letters are listed. */
export const listedLetters = z.strictObject({
  reason: z.string().min(1).optional(),
  limit: limitedNumber(MOST_LISTED).default(50),
});
export type ListedLetters = z.infer<typeof listedLetters>;

const keyOf = (id: string, context: z.RefinementCtx): DeadLetterKey => {
  const key = parseDeadLetterId(id);
  if (key !== null) return key;
  context.addIssue({
    code: 'custom',
    message: `"${id}" is no id of a dead letter: expected <notification>/<device>, or <notification>`,
  });
  return z.NEVER;
};

const ids = z
  .string()
  .transform((text) => text.split(',').map((id) => id.trim()))
  .pipe(z.array(z.string().transform(keyOf)).max(MOST_IDS));

/** Which dead letters something is done to: a form with `ids` (commas between), or `reason`, or `all=true`. */
export const chosenLetters = z
  .strictObject(
    {
      ids: ids.optional(),
      reason: z.string().min(1).optional(),
      all: z.literal('true', { error: 'expected true' }).optional(),
    },
    { error: ({ code }) => (code === 'invalid_type' ? ONE_OF_THREE : undefined) },
  )
  .transform((given, context): DeadLetterChoice => {
    const choices = [
      given.ids && { ids: given.ids },
      given.reason === undefined ? undefined : { reason: given.reason },
      given.all && { all: true as const },
    ].filter((choice) => choice !== undefined);
    const [choice, ...others] = choices;
    if (choice !== undefined && others.length === 0) return choice;
    context.addIssue({ code: 'custom', message: ONE_OF_THREE });
    return z.NEVER;
  });
