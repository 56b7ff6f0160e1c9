import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, json, limitedText, text } from '#edge';
import { LONGEST_HINT, LONGEST_NAME } from '#profile-fields';

/** Above what any profile has; a request is read whole before its fields are looked up. */
const MOST_VALUES = 500;

/** Above what any field takes, which differs by its type, and what counts only without the space around it. */
const LONGEST_SENT = 10_000;
const MOST_SENT_PEOPLE = 1000;

const tooLong = (parameter: string, limit: number) => () =>
  new ApiError('invalidParameter', {
    text: `${parameter} is too long (limit: ${limit} characters)`,
  });

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
  description: 'Answers with the fields of the organisation in the order in which they are shown.',
  parameters: {},
  returns: z.object({
    custom_fields: z.array(
      z.object({
        id: z.int(),
        type: z.int().describe('As `field_type` when the field is created.'),
        order: z.int(),
        name: z.string(),
        hint: z.string(),
        field_data: z.string().describe('JSON text; empty for types that have none.'),
        required: z.boolean(),
        editable_by_user: z.boolean(),
        display_in_profile_summary: z.literal(true).optional(),
        use_for_user_matching: z.literal(true).optional(),
      }),
    ),
  }),
  errors: [],
});

export const createProfileField = endpoint({
  ...common,
  method: 'POST',
  path: '/realm/profile_fields',
  access: 'administrator',
  summary: 'Create a custom profile field',
  description: 'Adds a field to the profiles of the organisation, behind those that there are.',
  parameters: {
    name: text(limitedText(LONGEST_SENT).default(''), {
      refusal: tooLong('name', LONGEST_NAME),
      description:
        'What the field is called, at most 40 characters. Not needed for an account on a site that the server knows.',
    }),
    hint: text(limitedText(LONGEST_SENT).default(''), {
      refusal: tooLong('hint', LONGEST_HINT),
      description: 'Help for whoever fills it in, at most 80 characters.',
    }),
    field_type: json(z.int32(), {
      description:
        '1 short text, 2 paragraph, 3 dropdown, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.',
    }),
    field_data: json(z.record(z.string(), z.unknown()).default({}), {
      description:
        'For a dropdown its choices, each with `text` and `order`, by keys of their own. For an external account its `subtype`: `twitter`, `github`, or `custom` with a `url_pattern` that contains `%(username)s`.',
    }),
    display_in_profile_summary: flag(
      false,
      'Whether it is shown in the profile summary. Two fields may be, of any type but users.',
    ),
    required: flag(false, 'Whether clients are to insist on a value.'),
    editable_by_user: flag(true, 'Whether others than administrators may fill it in.'),
    use_for_user_matching: flag(
      false,
      'Whether typing its value finds the user. For short texts and external accounts only.',
    ),
  },
  returns: z.object({ id: z.int() }),
  errors: [
    'profileSummaryIsFull',
    'noChoices',
    'blankChoiceKey',
    'fieldDataKeyMissing',
    'duplicateChoices',
    'invalidExternalAccountType',
    'missingUrlPattern',
    'urlPatternWithoutUsername',
    'blankProfileFieldLabel',
    'invalidProfileFieldType',
    'profileFieldTypeNotForSummary',
    'profileFieldTypeNotForMatching',
    'profileFieldExists',
    'organizationLimitReached',
  ],
});

export const deleteProfileField = endpoint({
  ...common,
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  access: 'administrator',
  summary: 'Delete a custom profile field',
  description: 'Deletes a field of the organisation with everything that has been filled in.',
  // Its error tells the number, which `identifier` does not keep of one that no row can have.
  parameters: { field_id: json(z.int32(), { description: 'The field.' }) },
  returns: nothing,
  errors: ['profileFieldNotFound'],
});

export const changeProfileData = endpoint({
  ...common,
  method: 'PATCH',
  path: '/users/me/profile_data',
  access: 'user',
  summary: 'Fill in the own profile',
  description:
    'Sets the caller’s values of custom profile fields, all or none of them. Null, an empty text and an empty list remove a value.',
  parameters: {
    data: json(
      z
        .array(
          z.object({
            id: z.int32(),
            value: z.union([
              limitedText(LONGEST_SENT),
              z.array(z.int32()).max(MOST_SENT_PEOPLE),
              z.null(),
            ]),
          }),
        )
        .max(MOST_VALUES),
      {
        description:
          'The `id` of each field and its `value`: a list of user ids for a field of users, a text for any other.',
      },
    ),
  },
  returns: nothing,
  errors: ['profileFieldNotFound', 'profileFieldNotEditable', 'notAChoice', 'invalidProfileUser'],
});

export const removeProfileData = endpoint({
  ...common,
  method: 'DELETE',
  path: '/users/me/profile_data',
  access: 'user',
  summary: 'Clear fields of the own profile',
  description: 'Removes the caller’s values of custom profile fields, all or none of them.',
  parameters: {
    data: json(z.array(z.int32()).max(MOST_VALUES), { description: 'The ids of the fields.' }),
  },
  returns: nothing,
  errors: ['profileFieldNotFound', 'profileFieldNotEditable'],
});
