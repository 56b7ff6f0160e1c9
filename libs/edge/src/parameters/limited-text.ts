import { z } from 'zod';

/**
 * A text of at most `maximum` characters, counted as Unicode code points as the contract counts them;
 * zod's own `max` counts the halves of an emoji.
 */
export const limitedText = (maximum: number): z.ZodString =>
  z
    .string()
    .meta({ maxLength: maximum })
    .superRefine((given, context) => {
      // Nothing that is short in halves is long in wholes, and a very long text need not be counted.
      if (given.length <= maximum) return;
      if (given.length <= 2 * maximum && [...given].length <= maximum) return;
      context.addIssue({ code: 'too_big', origin: 'string', maximum, input: given });
    });
