import type { ProfileField } from '#profile-fields';

/** A field in the members of the API; two of them are only there when they are true. */
export const profileFieldAnswer = (field: ProfileField) => ({
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
