import { ApiError } from '#platform/contracts';
import { type FieldData, fieldTypes, type ProfileField } from './profile-field.js';
import {
  hasUnpairedSurrogate,
  invalidValue,
  isLongerThan,
  isWebAddress,
  tooLong,
} from './text.rules.js';
import { profileFieldErrors } from './profile-fields.errors.js';

/** A value in a request: a text or a list of user ids; null and empty values remove the stored value. */
export type ProfileInput = string | readonly number[] | null;

const LONGEST_TEXT = 50;
const LONGEST_PARAGRAPH = 500;
const LONGEST_URL = 2000;
const MAX_USERS = 100;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The value to store; null to remove the stored value. `selectable` holds the users that a list may contain. Throws
 * ApiError for an invalid value.
 */
export function storedValue(
  field: ProfileField,
  given: ProfileInput,
  selectable: ReadonlySet<number>,
): string | null {
  if (given === null || given.length === 0) return null;
  if (field.fieldType === fieldTypes.users) return storedUsers(field, given, selectable);
  if (typeof given !== 'string') throw invalidValue(`${field.name} is not a string`);
  const value = given.trim();
  if (value === '') return null;
  if (hasUnpairedSurrogate(value)) throw invalidValue(`${field.name} has invalid format`);
  validateText(field, value);
  return value;
}

/** Whether the values of a field are Markdown. */
export const isRendered = ({ fieldType }: ProfileField): boolean =>
  fieldType === fieldTypes.shortText || fieldType === fieldTypes.paragraph;

function validateText({ name, fieldType, fieldData }: ProfileField, value: string): void {
  switch (fieldType) {
    case fieldTypes.paragraph:
      return validateLength(name, value, LONGEST_PARAGRAPH);
    case fieldTypes.dropdown:
      if (!isChoice(fieldData, value))
        throw new ApiError(profileFieldErrors.notAChoice, { value, name });
      return;
    case fieldTypes.date:
      if (!isDate(value)) throw invalidValue(`${name} is not a date`);
      return;
    case fieldTypes.link:
      validateLength(name, value, LONGEST_URL);
      if (!isWebAddress(value)) throw invalidValue(`${name} is not a URL`);
      return;
    default:
      validateLength(name, value, LONGEST_TEXT);
  }
}

const isChoice = (choices: FieldData | null, value: string): boolean =>
  choices !== null && Object.hasOwn(choices, value);

/** Whether a text is an existing day as yyyy-mm-dd. */
function isDate(value: string): boolean {
  const day = new Date(`${value}T00:00:00Z`);
  return DATE.test(value) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

function storedUsers(
  { name }: ProfileField,
  given: string | readonly number[],
  selectable: ReadonlySet<number>,
): string {
  if (typeof given === 'string') throw invalidValue(`${name} is not a list`);
  if (given.length > MAX_USERS) throw invalidValue(`${name} is too large`);
  const invalidId = given.find((id) => !selectable.has(id));
  if (invalidId !== undefined)
    throw new ApiError(profileFieldErrors.invalidProfileUser, { id: invalidId });
  return JSON.stringify([...new Set(given)]);
}

function validateLength(name: string, value: string, limit: number): void {
  if (isLongerThan(limit, value)) throw tooLong(name, limit);
}
