import { z } from 'zod';

/** What a value of the wrong type is said not to be. */
const nouns: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a float',
  boolean: 'a boolean',
  string: 'a string',
  array: 'a list',
  tuple: 'a list',
  object: 'a dict',
  record: 'a dict',
  date: 'a date',
};

/** What a text of the wrong form is said not to be, for the forms that have a name. */
const formNouns: Readonly<Record<string, string>> = {
  url: 'a URL',
  date: 'a date',
  datetime: 'a date',
};

/**
 * Words the faults of a value, for zod to call while it parses: only then does it tell which schema
 * refused. Not asked about a check whose author has said what is wrong.
 */
export const faultText =
  (name: string): z.core.$ZodErrorMap =>
  (issue) => {
    const path = issue.path ?? [];
    const place = placeOf(name, path);
    switch (issue.code) {
      case 'invalid_type':
        return issue.input === undefined && path.length > 0
          ? `${String(path.at(-1))} field is missing: Field required`
          : `${place} is not ${isOfInteger(issue) ? 'an integer' : nounOf(issue.expected)}`;
      case 'too_small':
        return tooSmall(place, issue);
      case 'too_big':
        return issue.origin === 'string'
          ? `${place} is too long (limit: ${issue.maximum} characters)`
          : `${place} is too large`;
      case 'invalid_format': {
        const noun = formNouns[issue.format];
        return noun === undefined ? `${place} has invalid format` : `${place} is not ${noun}`;
      }
      case 'unrecognized_keys':
        return `Argument "${issue.keys[0] ?? ''}" at ${place} is unexpected`;
      default:
        return `Invalid ${place}`;
    }
  };

/** The contract's text for a refused value: that of its first fault, as worded above or by the check's author. */
export function refusalText(name: string, { issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return `Invalid ${name}`;
  const unsaid = `Invalid ${placeOf(name, issue.path)}`;
  return issue.code === 'custom' && issue.message !== unsaid
    ? `${unsaid}: Value error, ${issue.message}`
    : issue.message;
}

const placeOf = (name: string, path: readonly PropertyKey[]): string =>
  name + path.map((key) => `[${JSON.stringify(key)}]`).join('');

function tooSmall(place: string, issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (issue.origin !== 'string') return `${place} is too small`;
  return issue.minimum === 1
    ? `${place} cannot be blank`
    : `${place} is too short (limit: ${issue.minimum} characters)`;
}

/** Of a text in an integer's place zod says that it is no number; the schema in that place knows better. */
const isOfInteger = ({ inst }: z.core.$ZodRawIssue): boolean =>
  inst instanceof z.ZodNumber && inst.isInt;

const nounOf = (expected: string): string => nouns[expected] ?? `a ${expected}`;
