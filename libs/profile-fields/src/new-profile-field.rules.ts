import { ApiError } from '#contracts';
import { knownAccounts } from './external-accounts.js';
import { choicesOf, externalAccountOf, type FieldDataShape } from './field-data.rules.js';
import {
  type ExternalAccount,
  type FieldData,
  fieldTypes,
  type NewProfileField,
} from './profile-field.js';
import { isLongerThan } from './text.rules.js';

/** What an administrator asks for. */
export interface ProfileFieldRequest<Data = Readonly<Record<string, unknown>>> extends Omit<
  NewProfileField,
  'fieldData'
> {
  readonly fieldData: Data;
}

/** In characters, as LONGEST_HINT. */
export const LONGEST_NAME = 40;
export const LONGEST_HINT = 80;

const types: ReadonlySet<number> = new Set(Object.values(fieldTypes));
const matchingTypes: ReadonlySet<number> = new Set([
  fieldTypes.shortText,
  fieldTypes.externalAccount,
]);

/**
 * The field that is asked for. Throws ApiError for the first thing that is wrong, in the order that
 * clients know: configuration, name, hint, type, and what the type cannot be used for.
 */
export function newProfileField(request: ProfileFieldRequest<FieldDataShape>): NewProfileField {
  const { fieldType, isInSummary, isRequired, isUserEditable, isForMatching } = request;
  const { fieldData, label } = configurationOf(request);
  const { name, hint } = label ?? labelOf(request);
  if (!types.has(fieldType)) throw new ApiError('invalidProfileFieldType');
  if (isInSummary && fieldType === fieldTypes.users) {
    throw new ApiError('profileFieldTypeNotForSummary');
  }
  if (isForMatching && !matchingTypes.has(fieldType)) {
    throw new ApiError('profileFieldTypeNotForMatching');
  }
  return {
    name,
    hint,
    fieldType,
    fieldData,
    isInSummary,
    isRequired,
    isUserEditable,
    isForMatching,
  };
}

interface Label {
  readonly name: string;
  readonly hint: string;
}

function configurationOf({ fieldType, fieldData }: ProfileFieldRequest<FieldDataShape>): {
  readonly fieldData: FieldData | null;
  /** Only there where the server knows better than the client. */
  readonly label?: Label | undefined;
} {
  if (fieldType === fieldTypes.dropdown) return { fieldData: choicesOf(fieldData) };
  if (fieldType !== fieldTypes.externalAccount) return { fieldData: null };
  const account: ExternalAccount = externalAccountOf(fieldData);
  return { fieldData: account, label: knownAccounts.get(account.subtype) };
}

function labelOf({ name: given, hint }: Label): Label {
  const name = given.trim();
  if (name === '') throw new ApiError('blankProfileFieldLabel');
  if (isLongerThan(LONGEST_NAME, name)) throw tooLong('name', LONGEST_NAME);
  if (isLongerThan(LONGEST_HINT, hint)) throw tooLong('hint', LONGEST_HINT);
  return { name, hint };
}

const tooLong = (parameter: string, limit: number): ApiError =>
  new ApiError('invalidParameter', {
    text: `${parameter} is too long (limit: ${limit} characters)`,
  });
