import { ApiError } from '#contracts';
import { type FieldData, fieldTypes, type ProfileField } from './profile-field.js';
import { isBroken, isLongerThan } from './text.rules.js';
import { isWebAddress } from './web-address.rules.js';

/** What a client gives for a field: a text, or a list of accounts; null and nothing remove the value. */
export type GivenValue = string | readonly number[] | null;

const LONGEST_TEXT = 50;
const LONGEST_PARAGRAPH = 500;
const LONGEST_ADDRESS = 2000;
const MOST_PEOPLE = 100;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The value of a field as it is stored; null when there is to be none. `people` are those that a list
 * of accounts may name. Throws ApiError for a value that the field cannot have.
 */
export function storedValue(
  field: ProfileField,
  given: GivenValue,
  people: ReadonlySet<number>,
): string | null {
  if (given === null || given.length === 0) return null;
  if (field.fieldType === fieldTypes.users) return storedPeople(field, given, people);
  if (typeof given !== 'string') throw invalid(`${field.name} is not a string`);
  const value = given.trim();
  if (value === '') return null;
  if (isBroken(value)) throw invalid(`${field.name} has invalid format`);
  refuseWrong(field, value);
  return value;
}

/** Whether the values of a field are Markdown. */
export const isRendered = ({ fieldType }: ProfileField): boolean =>
  fieldType === fieldTypes.shortText || fieldType === fieldTypes.paragraph;

function refuseWrong({ name, fieldType, fieldData }: ProfileField, value: string): void {
  switch (fieldType) {
    case fieldTypes.paragraph:
      return refuseLong(name, value, LONGEST_PARAGRAPH);
    case fieldTypes.dropdown:
      if (!isChoice(fieldData, value)) throw new ApiError('notAChoice', { value, name });
      return;
    case fieldTypes.date:
      if (!isDate(value)) throw invalid(`${name} is not a date`);
      return;
    case fieldTypes.link:
      refuseLong(name, value, LONGEST_ADDRESS);
      if (!isWebAddress(value)) throw invalid(`${name} is not a URL`);
      return;
    default:
      refuseLong(name, value, LONGEST_TEXT);
  }
}

const isChoice = (choices: FieldData | null, value: string): boolean =>
  choices !== null && Object.hasOwn(choices, value);

/** Whether there is such a day. */
function isDate(value: string): boolean {
  const day = new Date(`${value}T00:00:00Z`);
  return DATE.test(value) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

function storedPeople(
  { name }: ProfileField,
  given: string | readonly number[],
  people: ReadonlySet<number>,
): string {
  if (typeof given === 'string') throw invalid(`${name} is not a list`);
  if (given.length > MOST_PEOPLE) throw invalid(`${name} is too large`);
  const stranger = given.find((id) => !people.has(id));
  if (stranger !== undefined) throw new ApiError('invalidProfileUser', { id: stranger });
  return JSON.stringify([...new Set(given)]);
}

function refuseLong(name: string, value: string, limit: number): void {
  if (isLongerThan(limit, value)) {
    throw invalid(`${name} is too long (limit: ${limit} characters)`);
  }
}

const invalid = (text: string): ApiError => new ApiError('invalidParameter', { text });
