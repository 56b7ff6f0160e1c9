import { z } from 'zod';
import { allOrNone } from './read-variables.js';
import { fileOf, flag, list, urlOf, wholeNumber } from './variable-types.js';

const LEAST_SECRET = 16;
/** The new one and the old one. */
const MOST_SECRETS = 2;

const secrets = list
  .refine((items) => items.length >= 1 && items.length <= MOST_SECRETS, {
    message: 'expected one secret, or two with a comma between',
  })
  .refine((items) => items.every((item) => item.length >= LEAST_SECRET), {
    message: `expected secrets of at least ${LEAST_SECRET} characters`,
  })
  .transform((items) => items.join(','));

export const pushFeedbackVariables = {
  PUSH_FEEDBACK_LOG: flag.default(false).meta({
    description:
      'Whether the log has an entry `push.ended` for each delivery that ends otherwise than as delivered.',
  }),
  PUSH_FEEDBACK_URL: urlOf('https', 'http').optional().meta({
    description:
      'The receiver of a [webhook](push-outcomes.md#feedback-for-operators) that tells how deliveries ended.',
  }),
  PUSH_FEEDBACK_SECRET: secrets.optional().meta({
    takes: 'text of 16 characters or more',
    description:
      'The secret that signs the webhook; two with a comma between while receivers change from one to the other. `PUSH_FEEDBACK_URL` needs it.',
  }),
  PUSH_FEEDBACK_SECRET_FILE: fileOf('PUSH_FEEDBACK_SECRET'),
  PUSH_FEEDBACK_SUCCESS_PERCENT: wholeNumber(0, 100).default(0).meta({
    description: 'The share of delivered notifications that the webhook tells too.',
  }),
  PUSH_FEEDBACK_USER_IDS: flag.default(false).meta({
    description: 'Whether the webhook names the account of each delivery (`user_id`).',
  }),
};

type Values = z.infer<z.ZodObject<typeof pushFeedbackVariables>>;

/** What operators want to learn of ended deliveries. Throws ConfigError for an address without a secret. */
export function pushFeedbackOf(values: Values) {
  const webhook = allOrNone(values, ['PUSH_FEEDBACK_URL', 'PUSH_FEEDBACK_SECRET']);
  return {
    isLogged: values.PUSH_FEEDBACK_LOG,
    webhook: webhook && {
      url: webhook.PUSH_FEEDBACK_URL,
      secrets: webhook.PUSH_FEEDBACK_SECRET.split(','),
      successPercent: values.PUSH_FEEDBACK_SUCCESS_PERCENT,
      hasUserIds: values.PUSH_FEEDBACK_USER_IDS,
    },
  };
}
