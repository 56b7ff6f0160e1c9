import type { ParametersOf } from '#edge';
import type { ProfileFieldRequest } from '#profile-fields';
import type { createProfileField } from './profile-fields.schema.js';

/** What an administrator asks for, from the parameters of the API. */
export const profileFieldRequest = (
  parameters: ParametersOf<typeof createProfileField>,
): ProfileFieldRequest => ({
  name: parameters.name,
  hint: parameters.hint,
  fieldType: parameters.field_type,
  fieldData: parameters.field_data,
  isInSummary: parameters.display_in_profile_summary,
  isRequired: parameters.required,
  isUserEditable: parameters.editable_by_user,
  isForMatching: parameters.use_for_user_matching,
});
