import type { z } from 'zod';

/** What a value of the wrong type is said not to be. */
const nouns: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  string: 'a string',
  array: 'a list',
  tuple: 'a list',
  object: 'a dict',
  record: 'a dict',
  date: 'a date',
};

/** The text of the contract for a value that was refused, from the way in which it was refused. */
export function refusalText(name: string, issue: z.core.$ZodIssue): string {
  const place = name + issue.path.map((key) => `[${JSON.stringify(key)}]`).join('');
  switch (issue.code) {
    case 'invalid_type':
      return `${place} is not ${nouns[issue.expected] ?? `a ${issue.expected}`}`;
    case 'too_small':
      return isSizeOfText(issue.origin) ? `${place} cannot be blank` : `${place} is too small`;
    case 'too_big':
      return isSizeOfText(issue.origin)
        ? `${place} is too long (limit: ${issue.maximum} characters)`
        : `${place} is too large`;
    case 'invalid_format':
      return issue.format === 'url' ? `${place} is not a URL` : `${place} has invalid format`;
    case 'unrecognized_keys':
      return `Argument "${issue.keys[0] ?? ''}" at ${place} is unexpected`;
    case 'custom':
      return `Invalid ${place}: Value error, ${issue.message}`;
    default:
      return `Invalid ${place}`;
  }
}

const isSizeOfText = (origin: string): boolean => origin === 'string';
