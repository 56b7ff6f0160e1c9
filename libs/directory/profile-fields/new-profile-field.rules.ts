import { ApiError, firstUnprintable } from '#platform/contracts';
import { choicesOf, externalAccountOf, type FieldDataShape } from './field-data.rules.js';
import {
  type ExternalAccount,
  type FieldData,
  fieldTypes,
  knownAccounts,
  type NewProfileField,
} from './profile-field.js';
import { isLongerThan, tooLong } from './text.rules.js';
import { profileFieldErrors } from './profile-fields.errors.js';

/** A request to create a field. */
export interface ProfileFieldRequest<Data = Readonly<Record<string, unknown>>> extends Omit<
  NewProfileField,
  'fieldData'
> {
  readonly fieldData: Data;
}

/** The limits in code points. */
export const LONGEST_NAME = 40;
export const LONGEST_HINT = 80;

const types: ReadonlySet<number> = new Set(Object.values(fieldTypes));
const matchingTypes: ReadonlySet<number> = new Set([
  fieldTypes.shortText,
  fieldTypes.externalAccount,
]);

/**
 * The requested field. Throws ApiError for the first error, in this order: configuration, name, hint, type, use that
 * the type does not support.
 */
export function newProfileField(request: ProfileFieldRequest<FieldDataShape>): NewProfileField {
  const { fieldType, isInSummary, isRequired, isUserEditable, isForMatching } = request;
  const { fieldData, label } = configurationOf(request);
  const { name, hint } = label ?? labelOf(request);
  if (!types.has(fieldType)) throw new ApiError(profileFieldErrors.invalidProfileFieldType);
  if (isInSummary && fieldType === fieldTypes.users) {
    throw new ApiError(profileFieldErrors.profileFieldTypeNotForSummary);
  }
  if (isForMatching && !matchingTypes.has(fieldType)) {
    throw new ApiError(profileFieldErrors.profileFieldTypeNotForMatching);
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
  /** Set for a known site; replaces the label of the request. */
  readonly label?: Label | undefined;
} {
  if (fieldType === fieldTypes.dropdown) return { fieldData: choicesOf(fieldData) };
  if (fieldType !== fieldTypes.externalAccount) return { fieldData: null };
  const account: ExternalAccount = externalAccountOf(fieldData);
  return { fieldData: account, label: knownAccounts.get(account.subtype) };
}

function labelOf({ name: given, hint }: Label): Label {
  const name = given.trim();
  if (name === '') throw new ApiError(profileFieldErrors.blankProfileFieldLabel);
  if (firstUnprintable(name) !== null)
    throw new ApiError(profileFieldErrors.profileFieldNameInvalid);
  if (isLongerThan(LONGEST_NAME, name)) throw tooLong('name', LONGEST_NAME);
  if (isLongerThan(LONGEST_HINT, hint)) throw tooLong('hint', LONGEST_HINT);
  return { name, hint };
}
