import { ApiError } from '#platform/contracts';
import {
  type Choice,
  CUSTOM_ACCOUNT,
  type ExternalAccount,
  knownAccounts,
} from './profile-field.js';
import {
  hasUnpairedSurrogate,
  invalidValue,
  isLongerThan,
  isWebAddress,
  tooLong,
} from './text.rules.js';
import { profileFieldErrors } from './profile-fields.errors.js';

/** The configuration of a field in a request: texts and dictionaries of texts. */
export type FieldDataShape = ReadonlyMap<string, string | ReadonlyMap<string, string>>;

const MAX_CHOICES = 500;
const LONGEST_KEY = 100;
const LONGEST_CHOICE = 100;
const LONGEST_ORDER = 10;
const LONGEST_URL_PATTERN = 2000;
const PLACEHOLDER = '%(username)s';

/** Checks the types of the values, for fields of any type. Throws ApiError. */
export const shapeOf = (given: Readonly<Record<string, unknown>>): FieldDataShape =>
  new Map(
    Object.entries(given).map(([key, value]) => [
      validText(key),
      typeof value === 'string' ? validText(value) : textsOf(key, value),
    ]),
  );

function textsOf(key: string, value: unknown): ReadonlyMap<string, string> {
  const path = `field_data[${JSON.stringify(key)}]["dict[str,str]"]`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidValue(`${path} is not a dict`);
  }
  return new Map(
    Object.entries(value).map(([name, text]) => {
      if (typeof text !== 'string') {
        throw invalidValue(`${path}[${JSON.stringify(name)}] is not a string`);
      }
      return [validText(name), validText(text)];
    }),
  );
}

/** The choices of a dropdown. Throws ApiError for invalid choices. */
export function choicesOf(shape: FieldDataShape): Readonly<Record<string, Choice>> {
  if (shape.size === 0) throw new ApiError(profileFieldErrors.noChoices);
  if (shape.size > MAX_CHOICES) throw invalidValue('field_data is too large');
  const choices = [...shape].map(([key, value]): [string, Choice] => {
    if (key.trim() === '') throw new ApiError(profileFieldErrors.blankChoiceKey);
    if (isLongerThan(LONGEST_KEY, key)) throw tooLong("'value'", LONGEST_KEY);
    return [key, choiceOf(key, value)];
  });
  if (new Set(choices.map(([, { text }]) => text)).size < choices.length) {
    throw new ApiError(profileFieldErrors.duplicateChoices);
  }
  return Object.fromEntries(choices);
}

function choiceOf(key: string, value: string | ReadonlyMap<string, string>): Choice {
  if (typeof value === 'string') {
    throw invalidValue(`field_data[${JSON.stringify(key)}]["dict[str,str]"] is not a dict`);
  }
  const choice = {
    text: requiredText(value, 'text', LONGEST_CHOICE),
    order: requiredText(value, 'order', LONGEST_ORDER),
  };
  rejectOthers(value, ['text', 'order']);
  return choice;
}

/** The configuration of a field for external accounts. Throws ApiError for an invalid one. */
export function externalAccountOf(shape: FieldDataShape): ExternalAccount {
  const subtype = requiredText(shape, 'subtype');
  const pattern = urlPatternOf(shape.get('url_pattern'));
  rejectOthers(shape, ['subtype', 'url_pattern']);
  // The URL patterns of known sites are built in.
  if (knownAccounts.has(subtype)) return { subtype };
  if (subtype !== CUSTOM_ACCOUNT) throw new ApiError(profileFieldErrors.invalidExternalAccountType);
  if (pattern === undefined) throw new ApiError(profileFieldErrors.missingUrlPattern);
  return { subtype, url_pattern: pattern };
}

function urlPatternOf(given: string | ReadonlyMap<string, string> | undefined): string | undefined {
  if (given === undefined) return undefined;
  const path = 'field_data["url_pattern"]';
  if (typeof given !== 'string') throw invalidValue(`${path} is not a string`);
  const pattern = given.trim();
  if (isLongerThan(LONGEST_URL_PATTERN, pattern)) throw tooLong(path, LONGEST_URL_PATTERN);
  if (pattern.split(PLACEHOLDER).length !== 2)
    throw new ApiError(profileFieldErrors.urlPatternWithoutUsername);
  if (!isWebAddress(pattern.replace(PLACEHOLDER, 'username'))) {
    throw invalidValue(`${path} is not a URL`);
  }
  return pattern;
}

function requiredText(
  values: FieldDataShape,
  name: string,
  longest = Number.POSITIVE_INFINITY,
): string {
  const value = values.get(name);
  const path = `field_data["${name}"]`;
  if (value === undefined)
    throw new ApiError(profileFieldErrors.fieldDataKeyMissing, { key: name });
  if (typeof value !== 'string') throw invalidValue(`${path} is not a string`);
  if (value.trim() === '') throw invalidValue(`${path} cannot be blank.`);
  if (isLongerThan(longest, value)) throw tooLong(path, longest);
  return value;
}

function rejectOthers(values: FieldDataShape, known: readonly string[]): void {
  const other = [...values.keys()].find((name) => !known.includes(name));
  if (other !== undefined)
    throw invalidValue(`Argument "${other}" at field_data["${other}"] is unexpected`);
}

function validText(text: string): string {
  if (hasUnpairedSurrogate(text)) throw invalidValue('field_data has invalid format');
  return text;
}
