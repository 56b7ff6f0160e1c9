import { z } from 'zod';
import { userGroupErrors } from '#directory/groups';
import { roleErrors } from '#directory/roles';
import { userErrors } from '#directory/users';
import { newFullNameParameter } from '#directory/users/endpoints';
import { endpoint, json, type Parameter, text } from '#platform/http';
import {
  settingNames,
  settingOf,
  type SettingName,
  type SettingValues,
} from './setting-table.rules.js';
import { settingErrors } from './settings.errors.js';

// The table gives the schema of a setting the type of the setting.
const settingParameters = Object.fromEntries(
  settingNames.map((name) => {
    const { encoding, schema, meaning: description } = settingOf(name);
    const parameter = encoding === 'json' ? json : text;
    return [name, parameter(schema.optional(), { description })];
  }),
) as { readonly [Name in SettingName]: Parameter<SettingValues[Name] | undefined> };

const MAX_TARGETS = 10_000;
const MAX_GROUPS = 100;

const targetUsers = z
  .strictObject({
    user_ids: z.array(z.int()).max(MAX_TARGETS).default([]),
    group_ids: z.array(z.int()).max(MAX_GROUPS).default([]),
    skip_if_already_edited: z.boolean(),
  })
  .transform(({ user_ids: userIds, group_ids: groupIds, skip_if_already_edited: skipsEdited }) => ({
    userIds,
    groupIds,
    skipsEdited,
  }));

/** What only mails, passwords and exports would need, and what this server does the same for all accounts. */
const refusedSettings = [
  'allow_private_data_export',
  'automatically_follow_topics_policy',
  'automatically_follow_topics_where_mentioned',
  'automatically_unmute_topics_in_muted_streams_policy',
  'email',
  'email_address_visibility',
  'email_notifications_batching_period_seconds',
  'enable_digest_emails',
  'enable_followed_topic_email_notifications',
  'enable_login_emails',
  'enable_marketing_emails',
  'enable_offline_email_notifications',
  'message_content_in_email_notifications',
  'new_password',
  'notification_sound',
  'old_password',
  'realm_name_in_email_notifications_policy',
  'resolved_topic_notice_auto_read_policy',
  'skip_if_already_edited',
];

export const changeSettings = endpoint({
  method: 'PATCH',
  path: '/settings',
  summary: 'Change settings',
  description:
    'Changes the given settings of the caller. Missing parameters leave their settings unchanged. Administrators may change settings of others.',
  tag: 'users',
  access: 'user',
  parameters: {
    full_name: newFullNameParameter,
    ...settingParameters,
    target_users: json(targetUsers.optional(), {
      description:
        'For administrators: the accounts whose settings change instead of those of the caller. With `skip_if_already_edited`, a setting that an account has changed itself stays. Bots are left out.',
    }),
  },
  refuses: refusedSettings,
  returns: z.object({}),
  errors: [
    userErrors.nameTooLong,
    userErrors.nameTooShort,
    userErrors.invalidNameCharacters,
    userErrors.invalidNameFormat,
    userErrors.nameReserved,
    userErrors.nameInUse,
    roleErrors.mustBeAdministrator,
    settingErrors.noTargetUsers,
    settingErrors.ownSettingOnly,
    userGroupErrors.invalidUserGroup,
    userGroupErrors.invalidUserId,
  ],
});
