import { z } from 'zod';
import { languageCodes } from './languages.rules.js';
import { exceptionsSchema, quietHoursSchema, vipsSchema } from './quiet-hours.rules.js';
import {
  flag,
  list,
  numberBetween,
  oneOfNumbers,
  oneOfTexts,
  type Setting,
  type SettingValue,
} from './setting-kinds.js';
import { normalizeTimezone } from './timezone.rules.js';

/** The names of the time zone database have at most 33 characters. */
const LONGEST_TIMEZONE = 100;

const A_DAY_SECONDS = 86_400;
/** The longest time that phones can be snoozed. */
export const MAX_SNOOZE_SECONDS = 30 * A_DAY_SECONDS;

const snoozedUntil: Setting<number> = {
  encoding: 'json',
  schema: z
    .int()
    .min(0)
    .refine((given) => given <= Date.now() / 1000 + MAX_SNOOZE_SECONDS, 'More than 30 days ahead')
    .meta({ minimum: 0 }),
  initial: 0,
  takes: 'UNIX seconds, at most 30 days ahead; 0 for none',
  meaning: 'Phones show no message before this time, whatever the exceptions of quiet hours.',
  column: 'push_snoozed_until',
};

/** More often nobody wants to be reminded, and each reminder costs a push. */
const LEAST_REMINDER_SECONDS = 300;

const reminderSeconds: Setting<number> = {
  encoding: 'json',
  schema: z
    .int()
    .min(0)
    .max(A_DAY_SECONDS)
    .refine((given) => given === 0 || given >= LEAST_REMINDER_SECONDS, 'Neither 0 nor 300 to 86400')
    .meta({ minimum: 0, maximum: A_DAY_SECONDS }),
  initial: 0,
  takes: '0, or 300 to 86400',
  meaning:
    'iPhones and browsers show an unread direct message or mention again after this time in seconds, at most three times; 0 for never.',
  column: 'push_reminder_seconds',
};

/** Stored before the value was renamed, and sent by clients that know only the older name. */
const OLDER_RECENT_VIEW = 'recent_topics';

const homeViews = oneOfTexts(
  ['recent', 'inbox', 'all_messages'],
  'inbox',
  `The first view of a client. \`${OLDER_RECENT_VIEW}\` is an older name of \`recent\`.`,
);

const webHomeView: Setting<string> = {
  ...homeViews,
  schema: z
    .preprocess((given) => (given === OLDER_RECENT_VIEW ? 'recent' : given), homeViews.schema)
    .meta({ type: 'string', enum: ['recent', 'inbox', 'all_messages'] }),
};

const timezoneName = z
  .string()
  .meta({ maxLength: LONGEST_TIMEZONE })
  .transform((given, context) => {
    const isLong = given.length > LONGEST_TIMEZONE;
    const name = given === '' || isLong ? given : normalizeTimezone(given);
    if (name !== null && !isLong) return name;
    context.addIssue({ code: 'custom', message: 'Not a recognized time zone' });
    return z.NEVER;
  });

const timezone: Setting<string> = {
  encoding: 'text',
  schema: timezoneName,
  initial: '',
  takes: 'a name of the IANA time zone database, or empty',
  meaning: 'The time zone; empty if it is unknown.',
  column: 'timezone',
};

const twentyFourHourTime: Setting<boolean | null> = {
  encoding: 'json',
  schema: z.boolean().nullable(),
  initial: false,
  takes: 'true, false, null',
  meaning: 'Clients show times with 24 hours; with null, as is usual in the language.',
};

const defaultLanguage: Setting<string> = {
  encoding: 'text',
  schema: z.enum(languageCodes),
  initial: 'en',
  takes: 'a language tag in lower case, such as `de` or `pt-br`',
  meaning: 'The language of clients.',
};

/** The emoji sets that an account may choose, as clients receive them. */
export const emojisetChoices = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
  { key: 'google-blob', text: 'Google blobs' },
] as const;

/** All settings of an account by name. Everything else about a setting follows from this table. */
export const settingTable = {
  timezone,
  presence_enabled: flag(true, 'Other users see the presence.', 'is_presence_enabled'),
  enable_offline_push_notifications: flag(
    true,
    'Direct messages and mentions are notified on phones.',
    'is_push_enabled',
  ),
  enable_online_push_notifications: flag(
    false,
    'Phones are notified even while the account is active on a client.',
    'is_pushed_online',
  ),
  enable_stream_push_notifications: flag(
    false,
    'All messages of channels are notified on phones. A setting of the subscription takes precedence.',
    'is_pushed_channels',
  ),
  wildcard_mentions_notify: flag(
    true,
    'Wildcard mentions are notified like mentions. A setting of the subscription takes precedence.',
    'is_pushed_wildcards',
  ),
  enable_followed_topic_push_notifications: flag(
    true,
    'All messages of followed topics are notified on phones.',
  ),
  enable_followed_topic_wildcard_mentions_notify: flag(
    true,
    'Wildcard mentions in followed topics are notified like mentions.',
  ),
  push_quiet_hours: list(
    quietHoursSchema,
    'a list of at most 14 of `{"days": [0, 4], "start": "22:00", "end": "07:00"}`; day 0 is Monday',
    'Hours in which phones show no message, in the time zone of the account. An end that is not after the start is one of the next day.',
  ),
  push_quiet_hours_exceptions: list(
    exceptionsSchema,
    'a list of `direct`, `mention`, `group_mention`, `vip`',
    'What phones show in quiet hours all the same.',
  ),
  push_vip_user_ids: list(
    vipsSchema,
    'a list of at most 50 ids of accounts',
    'The people whose messages are shown in quiet hours, with the exception `vip`.',
  ),
  push_snoozed_until: snoozedUntil,
  push_notifications_delay_period_seconds: numberBetween(
    0,
    A_DAY_SECONDS,
    0,
    'Phones show a message after this time in seconds, if it is still unread then.',
    'push_delay_seconds',
  ),
  push_notifications_reminder_period_seconds: reminderSeconds,
  twenty_four_hour_time: twentyFourHourTime,
  default_language: defaultLanguage,
  color_scheme: oneOfNumbers([1, 2, 3], 1, 'The theme: 1 automatic, 2 dark, 3 light.'),
  web_home_view: webHomeView,
  web_escape_navigates_to_home_view: flag(true, 'The Escape key opens the first view.'),
  web_channel_default_view: oneOfNumbers(
    [1, 2, 3, 4],
    1,
    'What opens for a channel: 1 its newest topic, 2 its messages, 3 its topics, 4 its first unread topic.',
  ),
  web_mark_read_on_scroll_policy: oneOfNumbers(
    [1, 2, 3],
    1,
    'Scrolling marks messages as read: 1 always, 2 only in conversations, 3 never.',
  ),
  web_navigate_to_sent_message: flag(true, 'The view follows a message that the account sends.'),
  web_suggest_update_timezone: flag(
    true,
    'Clients offer to take over the time zone of the device.',
  ),
  web_font_size_px: numberBetween(8, 64, 16, 'The size of the text, in pixels.'),
  web_line_height_percent: numberBetween(80, 300, 140, 'The height of lines, in percent.'),
  web_animate_image_previews: oneOfTexts(
    ['always', 'on_hover', 'never'],
    'on_hover',
    'When previews of animated pictures move.',
  ),
  web_stream_unreads_count_display_policy: oneOfNumbers(
    [1, 2, 3],
    2,
    'Channels with a number of unread messages: 1 all, 2 those that are not muted, 3 none.',
  ),
  web_left_sidebar_show_channel_folders: flag(true, 'The list of channels is grouped by folder.'),
  web_left_sidebar_unreads_count_summary: flag(
    true,
    'The headings of the left list show numbers of unread messages.',
  ),
  user_list_style: oneOfNumbers(
    [1, 2, 3],
    2,
    'The list of people: 1 compact, 2 with status, 3 with picture and status.',
  ),
  desktop_icon_count_display: oneOfNumbers(
    [1, 2, 3, 4],
    1,
    'The number at the icon counts unread messages: 1 all, 2 direct messages, mentions and followed topics, 3 direct messages and mentions, 4 none.',
  ),
  fluid_layout_width: flag(false, 'The view takes the whole width of the window.'),
  high_contrast_mode: flag(false, 'The view has a high contrast.'),
  left_side_userlist: flag(false, 'The list of people is on the left in narrow windows.'),
  hide_ai_features: flag(false, 'Clients hide what needs a language model.'),
  demote_inactive_streams: oneOfNumbers(
    [1, 2, 3],
    1,
    'Clients list inactive channels last: 1 automatic, 2 always, 3 never.',
  ),
  emojiset: oneOfTexts(
    emojisetChoices.map(({ key }) => key),
    'google',
    'The pictures of emoji.',
  ),
  display_emoji_reaction_users: flag(true, 'Clients show the names of people who reacted.'),
  starred_message_counts: flag(true, 'Clients show the number of starred messages.'),
  web_inbox_show_channel_folders: flag(true, 'The inbox groups channels by folder.'),
  enter_sends: flag(false, 'The Enter key sends a message.'),
  translate_emoticons: flag(
    false,
    'The server replaces emoticons with emoji in messages of the account.',
  ),
  enable_drafts_synchronization: flag(false, 'Clients keep drafts on the server.'),
  send_private_typing_notifications: flag(
    true,
    'Others see that the account is writing a direct message.',
  ),
  send_stream_typing_notifications: flag(
    true,
    'Others see that the account is writing in a channel.',
  ),
  receives_typing_notifications: flag(true, 'The account sees that others are writing.'),
  send_read_receipts: flag(true, 'Others see that the account has read a message.'),
  enable_desktop_notifications: flag(
    true,
    'Desktop clients notify of direct messages and mentions.',
  ),
  enable_sounds: flag(true, 'Desktop clients play a sound for direct messages and mentions.'),
  pm_content_in_desktop_notifications: flag(
    true,
    'Notifications of desktop clients contain the text of direct messages.',
  ),
  enable_stream_desktop_notifications: flag(
    false,
    'Desktop clients notify of all messages of channels.',
  ),
  enable_stream_audible_notifications: flag(
    false,
    'Desktop clients play a sound for all messages of channels.',
  ),
  enable_followed_topic_desktop_notifications: flag(
    true,
    'Desktop clients notify of all messages of followed topics.',
  ),
  enable_followed_topic_audible_notifications: flag(
    true,
    'Desktop clients play a sound for all messages of followed topics.',
  ),
  enable_stream_email_notifications: flag(false, 'All messages of channels are notified by email.'),
} satisfies Readonly<Record<string, Setting<SettingValue>>>;

/** The name of a setting, as in the API. */
export type SettingName = keyof typeof settingTable;

/** The values of all settings of an account. */
export type SettingValues = {
  readonly [Name in SettingName]: (typeof settingTable)[Name] extends Setting<infer Value>
    ? Value
    : never;
};

/** The names of all settings, in the order of the table. */
// The members of the table are exactly the names.
export const settingNames = Object.keys(settingTable) as readonly SettingName[];

/** The declaration of a setting, without the type of its value. */
export const settingOf = (name: SettingName): Setting<SettingValue> => settingTable[name];
