import { fieldTypes, knownAccounts, type ProfileField } from './profile-field.js';

/** A field in the format of the API. Omits the last two members when they are false. */
export const toProfileFieldResponse = (field: ProfileField) => ({
  id: field.id,
  type: field.fieldType,
  order: field.position,
  name: field.name,
  hint: field.hint,
  field_data: field.fieldData === null ? '' : JSON.stringify(field.fieldData),
  required: field.isRequired,
  editable_by_user: field.isUserEditable,
  ...(field.isInSummary && { display_in_profile_summary: true }),
  ...(field.isForMatching && { use_for_user_matching: true }),
});

/** A field in registrations and events, which always say whether it is for matching. */
export const toRegisteredField = (field: ProfileField) => ({
  ...toProfileFieldResponse(field),
  use_for_user_matching: field.isForMatching,
});

/** The types of fields with their titles in a form for new fields. */
export const fieldTypesResponse = {
  SHORT_TEXT: { id: fieldTypes.shortText, name: 'Text (short)' },
  LONG_TEXT: { id: fieldTypes.paragraph, name: 'Text (long)' },
  SELECT: { id: fieldTypes.dropdown, name: 'List of options' },
  DATE: { id: fieldTypes.date, name: 'Date' },
  URL: { id: fieldTypes.link, name: 'Link' },
  USER: { id: fieldTypes.users, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: fieldTypes.externalAccount, name: 'External account' },
  PRONOUNS: { id: fieldTypes.pronouns, name: 'Pronouns' },
} as const;

/** The known sites of external accounts by subtype. */
export const knownAccountsResponse = Object.fromEntries(
  [...knownAccounts].map(([subtype, { name, hint, siteName, urlPattern }]) => [
    subtype,
    { name, text: siteName, hint, url_pattern: urlPattern },
  ]),
);
