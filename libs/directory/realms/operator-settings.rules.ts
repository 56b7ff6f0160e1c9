import { z } from 'zod';
import {
  groupSettingParameter,
  type RealmPermission,
  realmPermissionDefaults,
  systemGroups,
} from '#directory/groups';
import { firstUnprintable } from '#platform/contracts';

/** A setting of an organisation. */
export interface RealmSetting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  /** The allowed values, for an operator. */
  readonly allowed: string;
}

/** A setting with these values. */
export const realmSetting = <Value>(
  schema: z.ZodType<Value>,
  allowed: string,
): RealmSetting<Value> => ({ schema, allowed });

/** In code points. */
export const LONGEST_REALM_NAME = 40;
const LONGEST_DESCRIPTION = 1000;
const LONGEST_WAITING_DAYS = 36_500;
const MAX_QUOTA_MIB = 2_147_483_647;
const MAX_DOMAINS = 100;
const LONGEST_DOMAIN = 253;

/** A host name with at least one dot, in lower case. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const emailDomain = z
  .strictObject({
    domain: z.string().max(LONGEST_DOMAIN).toLowerCase().regex(DOMAIN),
    allow_subdomains: z.boolean().default(false),
  })
  .transform(({ domain, allow_subdomains: allowsSubdomains }) => ({ domain, allowsSubdomains }));

const emailDomains = z
  .array(emailDomain)
  .max(MAX_DOMAINS)
  .refine((given) => new Set(given.map(({ domain }) => domain)).size === given.length);

const groupNames = systemGroups.map(({ name }) => name).filter((name) => name !== 'role:internet');

const holders = (permission: RealmPermission) =>
  realmSetting(
    z.union([z.enum(groupNames), groupSettingParameter]),
    `the id of a user group, one of ${groupNames.join(', ')}, or {"direct_members": [ids], "direct_subgroups": [ids]}; by default ${realmPermissionDefaults[permission]}`,
  );

const realmName = z
  .string()
  .trim()
  .min(1)
  .meta({ maxLength: LONGEST_REALM_NAME })
  .superRefine((given, context) => {
    if (firstUnprintable(given) !== null) {
      context.addIssue({ code: 'custom', message: 'Invalid characters in name', input: given });
    }
    if ([...given].length <= LONGEST_REALM_NAME) return;
    const origin = { origin: 'string', maximum: LONGEST_REALM_NAME, input: given } as const;
    context.addIssue({ code: 'too_big', ...origin });
  });

const flag = realmSetting(z.boolean(), 'true or false');

/** The settings of the organisation itself, by their names in the API. */
export const operatorSettings = {
  can_access_all_users_group: holders('can_access_all_users_group'),
  can_add_subscribers_group: holders('can_add_subscribers_group'),
  can_create_users_group: holders('can_create_users_group'),
  can_delete_any_message_group: holders('can_delete_any_message_group'),
  can_manage_all_groups: holders('can_manage_all_groups'),
  description: realmSetting(
    z.string().max(LONGEST_DESCRIPTION),
    `Markdown of at most ${LONGEST_DESCRIPTION} characters`,
  ),
  disallow_disposable_email_addresses: flag,
  domains: realmSetting(
    emailDomains,
    `a list of at most ${MAX_DOMAINS} objects {"domain": "example.org", "allow_subdomains": false}; [] for all domains`,
  ),
  name: realmSetting(realmName, `a name of at most ${LONGEST_REALM_NAME} characters`),
  require_unique_names: flag,
  send_channel_events_messages: flag,
  topics_policy: realmSetting(
    z.enum(['allow_empty_topic', 'disable_empty_topic']),
    'allow_empty_topic or disable_empty_topic',
  ),
  upload_quota_mib: realmSetting(
    z.int().min(0).max(MAX_QUOTA_MIB).nullable(),
    `a whole number from 0 to ${MAX_QUOTA_MIB}, or null for no quota`,
  ),
  waiting_period_threshold: realmSetting(
    z.int().min(0).max(LONGEST_WAITING_DAYS),
    `a number of days from 0 to ${LONGEST_WAITING_DAYS}`,
  ),
};

type Settings = typeof operatorSettings;

/** Changes of settings; a missing member changes nothing. */
export type OperatorChange = {
  readonly [Name in keyof Settings]?: z.output<Settings[Name]['schema']> | undefined;
};
