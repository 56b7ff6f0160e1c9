import { badRequest, defineErrors } from '#platform/contracts';

/** Custom profile fields. */
export const profileFieldErrors = defineErrors({
  profileSummaryIsFull: badRequest(
    'Only 2 custom profile fields can be displayed in the profile summary.',
    'The profile summary already shows two fields.',
  ),
  noChoices: badRequest(
    'Field must have at least one choice.',
    'A dropdown has no choices in `field_data`.',
  ),
  blankChoiceKey: badRequest("'value' cannot be blank.", 'The key of a choice is blank.'),
  fieldDataKeyMissing: badRequest(
    '{key} key is missing from field_data',
    'A choice lacks `text` or `order`, or an external account its `subtype`.',
  ),
  duplicateChoices: badRequest(
    'Field must not have duplicate choices.',
    'Two choices have the same `text`.',
  ),
  invalidExternalAccountType: badRequest(
    'Invalid external account type',
    'The `subtype` of an external account is unknown.',
  ),
  missingUrlPattern: badRequest(
    'Custom external account must define URL pattern',
    'The `subtype` is `custom` without a `url_pattern`.',
  ),
  urlPatternWithoutUsername: badRequest(
    "URL pattern must contain '%(username)s'.",
    'The `url_pattern` does not contain the placeholder exactly once.',
  ),
  blankProfileFieldLabel: badRequest(
    'Label cannot be blank.',
    'The name of a field is missing or blank.',
  ),
  profileFieldNameInvalid: badRequest(
    'Invalid character in label.',
    'The name of a field has a character that cannot be shown, or that hides others.',
  ),
  invalidProfileFieldType: badRequest('Invalid field type.', 'The type of the field is unknown.'),
  profileFieldTypeNotForSummary: badRequest(
    'Field type not supported for display in profile summary.',
    'A field of users cannot be in the profile summary.',
  ),
  profileFieldTypeNotForMatching: badRequest(
    'Field type not supported for use for user matching.',
    'Only short texts and external accounts can be used to find users.',
  ),
  profileFieldExists: badRequest(
    'A field with that label already exists.',
    'The organisation already has a field with this name.',
  ),
  profileFieldNotFound: badRequest(
    'Field id {id} not found.',
    'The organisation has no field with this id.',
  ),
  invalidProfileFieldOrder: badRequest(
    'Invalid order mapping.',
    'The list does not have the id of each field of the organisation exactly once.',
  ),
  profileFieldNotEditable: badRequest(
    'Only organization administrators can change this field.',
    'Only administrators may fill in the field.',
  ),
  notAChoice: badRequest(
    "'{value}' is not a valid choice for '{name}'.",
    'The dropdown has no choice with this key.',
  ),
  invalidProfileUser: badRequest(
    'Invalid user ID: {id}',
    'A field of users contains an account that is unknown, a bot or deactivated.',
  ),
});
