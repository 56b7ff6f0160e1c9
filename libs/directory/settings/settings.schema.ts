import { z } from 'zod';
import { userErrors } from '#directory/users';
import { ApiError } from '#platform/contracts';
import { endpoint, json, limitedText, type Parameter, text } from '#platform/http';
import {
  settingNames,
  settingOf,
  type SettingName,
  type SettingValues,
} from './setting-table.rules.js';

/** Above the limit of a name, because surrounding white space is trimmed later. */
const LONGEST_NAME_SENT = 1000;

type SettingParameters = {
  readonly [Name in SettingName]: Parameter<SettingValues[Name] | undefined>;
};

// The table gives the schema of a setting the type of the setting.
const settingParameters = Object.fromEntries(
  settingNames.map((name) => {
    const { encoding, schema, meaning: description } = settingOf(name);
    const parameter = encoding === 'json' ? json : text;
    return [name, parameter(schema.optional(), { description })];
  }),
) as SettingParameters;

export const changeSettings = endpoint({
  method: 'PATCH',
  path: '/settings',
  summary: 'Change the own settings',
  description: 'Changes the given settings. Missing parameters leave their settings unchanged.',
  tag: 'users',
  access: 'user',
  parameters: {
    full_name: text(limitedText(LONGEST_NAME_SENT).optional(), {
      description: '2 to 100 characters, without * ` \\ > " @.',
      refusal: () => new ApiError(userErrors.nameTooLong),
    }),
    ...settingParameters,
  },
  returns: z.object({}),
  errors: [
    userErrors.nameTooLong,
    userErrors.nameTooShort,
    userErrors.invalidNameCharacters,
    userErrors.invalidNameFormat,
    userErrors.nameInUse,
  ],
});
