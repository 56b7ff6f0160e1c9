import { languageName } from './languages.rules.js';
import type { SettingValue } from './setting-kinds.js';
import {
  emojisetChoices,
  settingNames,
  settingOf,
  type SettingName,
  type SettingValues,
} from './setting-table.rules.js';

/** New values of settings; missing members stay unchanged. */
export type SettingsInput = {
  readonly [Name in SettingName]?: SettingValues[Name] | undefined;
};

/** New values of an account; missing members stay unchanged. */
export interface AccountChange {
  readonly fullName?: string | undefined;
  readonly settings?: SettingsInput;
}

/** A setting that a change has changed, with its new value. */
export interface SettingUpdate {
  readonly property: SettingName;
  readonly value: SettingValue;
}

/** The audience of the sign-in address of an account. Accounts cannot choose the other levels of the API. */
const EMAIL_VISIBLE_TO = { everyone: 1, administrators: 3 } as const;

/** All settings of an account, as `user_settings` of the API has them. */
export interface UserSettings extends SettingValues {
  /** 1: everyone sees the sign-in address. 3: only administrators do. */
  readonly email_address_visibility: number;
  readonly emojiset_choices: typeof emojisetChoices;
}

/** The values that are stored for an account. */
export interface SettingColumns {
  /** The values of columns by the names of the settings. */
  readonly columns: Readonly<Partial<Record<SettingName, SettingValue>>>;
  /** The column `display_settings`. */
  readonly display: Readonly<Record<string, unknown>>;
  /** Whether everyone sees the sign-in address. */
  readonly isEmailVisible: boolean;
  /** The settings that the account has changed itself; null if that has not been recorded yet. */
  readonly edited: readonly string[] | null;
}

/**
 * The values of all settings. A member of `display` counts only if it is valid: a newer release may know more settings,
 * or more values.
 */
export function valuesOf({
  columns,
  display,
}: Pick<SettingColumns, 'columns' | 'display'>): SettingValues {
  const values = settingNames.map((name) => {
    const { initial, schema, column } = settingOf(name);
    if (column !== undefined) return [name, columns[name] ?? initial];
    if (!Object.hasOwn(display, name)) return [name, initial];
    const { success, data } = schema.safeParse(display[name]);
    return [name, success ? data : initial];
  });
  // Every setting has a value of its type, because its schema or its column has checked it.
  return Object.fromEntries(values) as SettingValues;
}

/** The settings that are of one person only: an organisation has no default for them. */
const PERSONAL = [
  'timezone',
  'push_quiet_hours',
  'push_quiet_hours_exceptions',
  'push_vip_user_ids',
  'push_snoozed_until',
  'push_notifications_delay_period_seconds',
  'push_notifications_reminder_period_seconds',
] as const satisfies readonly SettingName[];

/** The settings that only the account itself may change: what others see of it, and the personal ones. */
const OWN_ONLY: readonly SettingName[] = [
  'presence_enabled',
  'send_private_typing_notifications',
  'send_stream_typing_notifications',
  'send_read_receipts',
  ...PERSONAL,
];

/** Whether one of the given settings cannot be changed for other accounts. */
export const hasOwnOnly = (given: SettingsInput): boolean =>
  OWN_ONLY.some((name) => given[name] !== undefined);

/** Values of the schemas of the table have their members in one order. */
const isSame = (one: SettingValue, other: SettingValue): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The given settings that differ from the current values, in the order of the table. */
export const changedSettings = (
  current: SettingValues,
  given: SettingsInput,
): readonly SettingUpdate[] =>
  settingNames.flatMap((property) => {
    const value = given[property];
    return value === undefined || isSame(value, current[property]) ? [] : [{ property, value }];
  });

/**
 * The settings that an account has changed itself. Before that was recorded nobody else could change them: those that
 * differ from their default.
 */
export function editedSettings({ edited, ...stored }: SettingColumns): readonly string[] {
  if (edited !== null) return edited;
  const values = valuesOf(stored);
  return settingNames.filter((name) => !isSame(values[name], settingOf(name).initial));
}

/** The members of the event of a changed setting. The name of the language is for display. */
export const changeEvent = ({ property, value }: SettingUpdate) => ({
  op: 'update',
  property,
  value,
  ...(property === 'default_language' && { language_name: languageName(String(value)) }),
});

/** How a change is stored. */
export interface SettingsUpdate {
  /** The new values of columns by the names of the settings. */
  readonly columns: Readonly<Partial<Record<SettingName, SettingValue>>>;
  /** The members of `display_settings` to set: values that differ from the default. */
  readonly set: Readonly<Partial<Record<SettingName, SettingValue>>>;
  /** The members of `display_settings` to remove: the settings that have their default again. */
  readonly removed: readonly SettingName[];
  /** The settings that the account has changed itself. */
  readonly edited: readonly string[];
}

/** Distributes changed settings to the columns and the members that hold them. */
export function updateOf(
  changed: readonly SettingUpdate[],
  edited: readonly string[],
): SettingsUpdate {
  const asMembers = (settings: readonly SettingUpdate[]) =>
    Object.fromEntries(settings.map(({ property, value }) => [property, value]));
  const isColumn = ({ property }: SettingUpdate) => settingOf(property).column !== undefined;
  const isInitial = ({ property, value }: SettingUpdate) =>
    isSame(value, settingOf(property).initial);
  const display = changed.filter((setting) => !isColumn(setting));
  return {
    columns: asMembers(changed.filter(isColumn)),
    set: asMembers(display.filter((setting) => !isInitial(setting))),
    removed: display.filter(isInitial).map(({ property }) => property),
    edited,
  };
}

/** `user_settings` of an account. */
export const userSettings = (stored: SettingColumns): UserSettings => ({
  ...valuesOf(stored),
  email_address_visibility: stored.isEmailVisible
    ? EMAIL_VISIBLE_TO.everyone
    : EMAIL_VISIBLE_TO.administrators,
  emojiset_choices: emojisetChoices,
});

/** The settings of a new account, as `realm_user_settings_defaults` of the API has them: without the personal ones. */
export function defaultUserSettings(): Omit<UserSettings, (typeof PERSONAL)[number]> {
  const stored = { columns: {}, display: {}, isEmailVisible: true, edited: null };
  const personal: readonly string[] = PERSONAL;
  const defaults = Object.entries(userSettings(stored)).filter(
    ([name]) => !personal.includes(name),
  );
  // All other settings are left.
  return Object.fromEntries(defaults) as Omit<UserSettings, (typeof PERSONAL)[number]>;
}
