import { z } from 'zod';
import { userErrors } from '#directory/users';
import { newFullNameParameter } from '#directory/users/endpoints';
import { endpoint, json, type Parameter, text } from '#platform/http';
import {
  settingNames,
  settingOf,
  type SettingName,
  type SettingValues,
} from './setting-table.rules.js';

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
    full_name: newFullNameParameter,
    ...settingParameters,
  },
  returns: z.object({}),
  errors: [
    userErrors.nameTooLong,
    userErrors.nameTooShort,
    userErrors.invalidNameCharacters,
    userErrors.invalidNameFormat,
    userErrors.nameReserved,
    userErrors.nameInUse,
  ],
});
