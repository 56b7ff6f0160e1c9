import { z } from 'zod';
import { administrators } from '#directory/roles';
import { limitErrors } from '#platform/contracts';
import { endpoint, json, limitedText, text } from '#platform/http';
import { LONGEST_HINT, LONGEST_NAME } from './new-profile-field.rules.js';
import { profileFieldErrors } from './profile-fields.errors.js';
import { tooLong } from './text.rules.js';

/** More than any profile has; bounds a request before its fields are looked up. */
const MAX_VALUES = 500;

/** The most fields of an organisation that can be ordered. */
const MAX_ORDERED = 10_000;

/** Above the limits of all types, which are checked after white space is trimmed. */
const LONGEST_SENT = 10_000;
const MAX_SENT_USERS = 1000;

const nothing = z.object({});
const common = { tag: 'profile fields' } as const;
const flag = (isSet: boolean, description: string) =>
  json(z.boolean().default(isSet), { description });

export const listProfileFields = endpoint({
  ...common,
  method: 'GET',
  path: '/realm/profile_fields',
  access: 'user',
  summary: 'List the custom profile fields',
  description: 'Returns the fields of the organisation in the order of display.',
  parameters: {},
  takesAnswerSlot: true,
  returns: z.object({
    custom_fields: z.array(
      z.object({
        id: z.int(),
        type: z.int().describe('The `field_type` of the creation.'),
        order: z.int(),
        name: z.string(),
        hint: z.string(),
        field_data: z.string().describe('JSON text; empty for types without a configuration.'),
        required: z.boolean(),
        editable_by_user: z.boolean(),
        display_in_profile_summary: z.literal(true).optional(),
        use_for_user_matching: z.literal(true).optional(),
      }),
    ),
  }),
  errors: [],
});

export const reorderProfileFields = endpoint({
  ...common,
  method: 'PATCH',
  path: '/realm/profile_fields',
  access: administrators,
  summary: 'Order the custom profile fields',
  description: 'Puts the fields of the organisation into an order of display.',
  parameters: {
    order: json(z.array(z.int32()).max(MAX_ORDERED), {
      description: 'The ids of all fields of the organisation in their new order.',
    }),
  },
  returns: nothing,
  errors: [profileFieldErrors.invalidProfileFieldOrder],
});

export const createProfileField = endpoint({
  ...common,
  method: 'POST',
  path: '/realm/profile_fields',
  access: administrators,
  summary: 'Create a custom profile field',
  description: 'Adds a field to the profiles of the organisation, after the existing fields.',
  parameters: {
    name: text(limitedText(LONGEST_SENT).default(''), {
      refusal: () => tooLong('name', LONGEST_NAME),
      description:
        'The name of the field, at most 40 characters. Optional for an account on a known site.',
    }),
    hint: text(limitedText(LONGEST_SENT).default(''), {
      refusal: () => tooLong('hint', LONGEST_HINT),
      description: 'A hint for the person who fills in the field, at most 80 characters.',
    }),
    field_type: json(z.int32(), {
      description:
        '1 short text, 2 paragraph, 3 dropdown, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.',
    }),
    field_data: json(z.record(z.string(), z.unknown()).default({}), {
      description:
        'For a dropdown its choices, by key, each with `text` and `order`. For an external account its `subtype`: `twitter`, `github`, or `custom` with a `url_pattern` that contains `%(username)s`.',
    }),
    display_in_profile_summary: flag(
      false,
      'Whether the profile summary shows the field. At most two fields, of any type but users.',
    ),
    required: flag(false, 'Whether clients require a value.'),
    editable_by_user: flag(true, 'Whether users may fill in the field, not only administrators.'),
    use_for_user_matching: flag(
      false,
      'Whether clients find users by the value. Only for short texts and external accounts.',
    ),
  },
  returns: z.object({ id: z.int() }),
  errors: [
    profileFieldErrors.profileSummaryIsFull,
    profileFieldErrors.noChoices,
    profileFieldErrors.blankChoiceKey,
    profileFieldErrors.fieldDataKeyMissing,
    profileFieldErrors.duplicateChoices,
    profileFieldErrors.invalidExternalAccountType,
    profileFieldErrors.missingUrlPattern,
    profileFieldErrors.urlPatternWithoutUsername,
    profileFieldErrors.blankProfileFieldLabel,
    profileFieldErrors.profileFieldNameInvalid,
    profileFieldErrors.invalidProfileFieldType,
    profileFieldErrors.profileFieldTypeNotForSummary,
    profileFieldErrors.profileFieldTypeNotForMatching,
    profileFieldErrors.profileFieldExists,
    limitErrors.organizationLimitReached,
  ],
});

export const deleteProfileField = endpoint({
  ...common,
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  access: administrators,
  summary: 'Delete a custom profile field',
  description: 'Deletes a field of the organisation and all its values.',
  // The error contains the number; `identifier` would lose a number that is out of range.
  parameters: { field_id: json(z.int32(), { description: 'The id of the field.' }) },
  returns: nothing,
  errors: [profileFieldErrors.profileFieldNotFound],
});

/** New values of the custom profile fields of an account. */
export const profileValues = z
  .array(
    z.object({
      id: z.int32(),
      value: z.union([limitedText(LONGEST_SENT), z.array(z.int32()).max(MAX_SENT_USERS), z.null()]),
    }),
  )
  .max(MAX_VALUES);

export const changeProfileData = endpoint({
  ...common,
  method: 'PATCH',
  path: '/users/me/profile_data',
  access: 'user',
  summary: 'Fill in the own profile',
  description:
    'Sets values of the caller’s custom profile fields, all or nothing. Null, an empty text and an empty list remove a value.',
  parameters: {
    data: json(profileValues, {
      description:
        'The `id` of each field and its `value`: a list of user ids for a field of users, a text for any other.',
    }),
  },
  returns: nothing,
  errors: [
    profileFieldErrors.profileFieldNotFound,
    profileFieldErrors.profileFieldNotEditable,
    profileFieldErrors.notAChoice,
    profileFieldErrors.invalidProfileUser,
  ],
});

export const removeProfileData = endpoint({
  ...common,
  method: 'DELETE',
  path: '/users/me/profile_data',
  access: 'user',
  summary: 'Clear fields of the own profile',
  description: 'Removes values of the caller’s custom profile fields, all or nothing.',
  parameters: {
    data: json(z.array(z.int32()).max(MAX_VALUES), { description: 'The ids of the fields.' }),
  },
  returns: nothing,
  errors: [profileFieldErrors.profileFieldNotFound, profileFieldErrors.profileFieldNotEditable],
});
