import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Custom profile fields. */
export const profileFieldErrors = {
  profileSummaryIsFull: badRequest(
    'Only 2 custom profile fields can be displayed in the profile summary.',
  ),
  noChoices: badRequest('Field must have at least one choice.'),
  blankChoiceKey: badRequest("'value' cannot be blank."),
  fieldDataKeyMissing: badRequest('{key} key is missing from field_data'),
  duplicateChoices: badRequest('Field must not have duplicate choices.'),
  invalidExternalAccountType: badRequest('Invalid external account type'),
  missingUrlPattern: badRequest('Custom external account must define URL pattern'),
  urlPatternWithoutUsername: badRequest("URL pattern must contain '%(username)s'."),
  blankProfileFieldLabel: badRequest('Label cannot be blank.'),
  invalidProfileFieldType: badRequest('Invalid field type.'),
  profileFieldTypeNotForSummary: badRequest(
    'Field type not supported for display in profile summary.',
  ),
  profileFieldTypeNotForMatching: badRequest('Field type not supported for use for user matching.'),
  profileFieldExists: badRequest('A field with that label already exists.'),
  profileFieldNotFound: badRequest('Field id {id} not found.'),
  profileFieldNotEditable: badRequest('Only organization administrators can change this field.'),
  notAChoice: badRequest("'{value}' is not a valid choice for '{name}'."),
  invalidProfileUser: badRequest('Invalid user ID: {id}'),
} as const satisfies Record<string, CataloguedError>;
