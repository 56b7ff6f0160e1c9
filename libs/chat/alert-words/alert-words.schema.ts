import { z } from 'zod';
import { limitErrors } from '#platform/contracts';
import { endpoint, json, limitedText } from '#platform/http';

const LONGEST_WORD = 100;
const MAX_SENT = 1000;

const common = { tag: 'alert words', access: 'user', path: '/users/me/alert_words' } as const;
const returns = z.object({ alert_words: z.array(z.string()) });
const words = (description: string) =>
  json(z.array(limitedText(LONGEST_WORD)).max(MAX_SENT), { description });

export const listAlertWords = endpoint({
  ...common,
  method: 'GET',
  summary: 'List the alert words',
  description:
    "Returns the caller's words and phrases in alphabetical order. Messages with one of them have the flag `has_alert_word`.",
  parameters: {},
  returns,
  errors: [],
});

export const addAlertWords = endpoint({
  ...common,
  method: 'POST',
  summary: 'Add alert words',
  description:
    'Adds words and returns all words of the caller. Words that the caller already has, in any case, are ignored. They count for messages that are sent or edited from then on.',
  parameters: { alert_words: words('The words and phrases, at most 100 characters each.') },
  returns,
  errors: [limitErrors.accountLimitReached],
});

export const removeAlertWords = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Remove alert words',
  description: 'Removes words, in any case, and returns the remaining words of the caller.',
  parameters: { alert_words: words('The words and phrases; unknown ones are ignored.') },
  returns,
  errors: [],
});
