import { ApiError } from '#contracts';
import { CUSTOM_ACCOUNT, knownAccounts } from './external-accounts.js';
import type { Choice, ExternalAccount } from './profile-field.js';
import { isBroken, isLongerThan } from './text.rules.js';
import { isWebAddress } from './web-address.rules.js';

/** The configuration of a field as a client gives it: texts, and dictionaries of texts. */
export type FieldDataShape = ReadonlyMap<string, string | ReadonlyMap<string, string>>;

const MOST_CHOICES = 500;
const LONGEST_KEY = 100;
const LONGEST_CHOICE = 100;
const LONGEST_ORDER = 10;
const LONGEST_URL_PATTERN = 2000;
const PLACEHOLDER = '%(username)s';

/** Checks the types of what a client gave; the type of the field does not matter yet. Throws ApiError. */
export const shapeOf = (given: Readonly<Record<string, unknown>>): FieldDataShape =>
  new Map(
    Object.entries(given).map(([key, value]) => [
      wholeText(key),
      typeof value === 'string' ? wholeText(value) : textsOf(key, value),
    ]),
  );

function textsOf(key: string, value: unknown): ReadonlyMap<string, string> {
  const place = `field_data[${JSON.stringify(key)}]["dict[str,str]"]`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${place} is not a dict`);
  }
  return new Map(
    Object.entries(value).map(([name, text]) => {
      if (typeof text !== 'string') {
        throw invalid(`${place}[${JSON.stringify(name)}] is not a string`);
      }
      return [wholeText(name), wholeText(text)];
    }),
  );
}

/** The choices of a dropdown. Throws ApiError when they cannot be that. */
export function choicesOf(shape: FieldDataShape): Readonly<Record<string, Choice>> {
  if (shape.size === 0) throw new ApiError('noChoices');
  if (shape.size > MOST_CHOICES) throw invalid('field_data is too large');
  const choices = [...shape].map(([key, value]): [string, Choice] => {
    if (key.trim() === '') throw new ApiError('blankChoiceKey');
    if (isLongerThan(LONGEST_KEY, key)) throw tooLong("'value'", LONGEST_KEY);
    return [key, choiceOf(key, value)];
  });
  if (new Set(choices.map(([, { text }]) => text)).size < choices.length) {
    throw new ApiError('duplicateChoices');
  }
  return Object.fromEntries(choices);
}

function choiceOf(key: string, value: string | ReadonlyMap<string, string>): Choice {
  if (typeof value === 'string') {
    throw invalid(`field_data[${JSON.stringify(key)}]["dict[str,str]"] is not a dict`);
  }
  const choice = {
    text: requiredText(value, 'text', LONGEST_CHOICE),
    order: requiredText(value, 'order', LONGEST_ORDER),
  };
  refuseOthers(value, ['text', 'order']);
  return choice;
}

/** The account elsewhere that a field is for. Throws ApiError when there can be no such account. */
export function externalAccountOf(shape: FieldDataShape): ExternalAccount {
  const subtype = requiredText(shape, 'subtype');
  const pattern = urlPatternOf(shape.get('url_pattern'));
  refuseOthers(shape, ['subtype', 'url_pattern']);
  // The server has the patterns of the accounts that it knows.
  if (knownAccounts.has(subtype)) return { subtype };
  if (subtype !== CUSTOM_ACCOUNT) throw new ApiError('invalidExternalAccountType');
  if (pattern === undefined) throw new ApiError('missingUrlPattern');
  return { subtype, url_pattern: pattern };
}

function urlPatternOf(given: string | ReadonlyMap<string, string> | undefined): string | undefined {
  if (given === undefined) return undefined;
  const place = 'field_data["url_pattern"]';
  if (typeof given !== 'string') throw invalid(`${place} is not a string`);
  const pattern = given.trim();
  if (isLongerThan(LONGEST_URL_PATTERN, pattern)) throw tooLong(place, LONGEST_URL_PATTERN);
  if (pattern.split(PLACEHOLDER).length !== 2) throw new ApiError('urlPatternWithoutUsername');
  if (!isWebAddress(pattern.replace(PLACEHOLDER, 'username'))) {
    throw invalid(`${place} is not a URL`);
  }
  return pattern;
}

function requiredText(
  values: FieldDataShape,
  name: string,
  longest = Number.POSITIVE_INFINITY,
): string {
  const value = values.get(name);
  const place = `field_data["${name}"]`;
  if (value === undefined) throw new ApiError('fieldDataKeyMissing', { key: name });
  if (typeof value !== 'string') throw invalid(`${place} is not a string`);
  if (value.trim() === '') throw invalid(`${place} cannot be blank.`);
  if (isLongerThan(longest, value)) throw tooLong(place, longest);
  return value;
}

function refuseOthers(values: FieldDataShape, known: readonly string[]): void {
  const other = [...values.keys()].find((name) => !known.includes(name));
  if (other !== undefined) throw invalid(`Argument "${other}" at field_data is unexpected`);
}

function wholeText(text: string): string {
  if (isBroken(text)) throw invalid('field_data has invalid format');
  return text;
}

const tooLong = (place: string, limit: number): ApiError =>
  invalid(`${place} is too long (limit: ${limit} characters)`);

const invalid = (text: string): ApiError => new ApiError('invalidParameter', { text });
