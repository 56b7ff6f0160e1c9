import { describe, expect, it } from '@jest/globals';
import { settingNames, settingOf } from './setting-table.rules.js';
import {
  changedSettings,
  changeEvent,
  defaultUserSettings,
  updateOf,
  userSettings,
  valuesOf,
} from './settings.rules.js';

const initial = valuesOf({ columns: {}, display: {} });

describe('settingTable', () => {
  it.each(settingNames)('has a permitted default for %s', (name) => {
    const { schema, initial: value, meaning, takes } = settingOf(name);
    expect(schema.safeParse(value)).toMatchObject({ success: true, data: value });
    expect([meaning, takes]).not.toContain('');
  });
});

describe(valuesOf.name, () => {
  it('has the default of each setting that is not stored', () => {
    expect(initial).toMatchObject({ timezone: '', enter_sends: false, emojiset: 'google' });
    expect(Object.keys(initial)).toEqual(settingNames);
  });

  it('has the stored values, null included', () => {
    const columns = { timezone: 'Europe/Berlin', presence_enabled: false };
    const display = { twenty_four_hour_time: null, color_scheme: 2, emojiset: 'text' };
    expect(valuesOf({ columns, display })).toEqual({ ...initial, ...columns, ...display });
  });

  it('ignores members and values that only a newer release knows', () => {
    const display = { color_scheme: 4, enter_sends: 'often', brightness: 7, enable_sounds: false };
    expect(valuesOf({ columns: {}, display })).toEqual({ ...initial, enable_sounds: false });
  });

  it('takes no setting from the prototype of the stored object', () => {
    const display = Object.create({ enter_sends: true }) as Record<string, unknown>; // As given.
    expect(valuesOf({ columns: {}, display })).toEqual(initial);
  });
});

describe(changedSettings.name, () => {
  it('lists the given settings with another value, in the order of the table', () => {
    expect(
      changedSettings(initial, {
        enter_sends: true,
        emojiset: 'google',
        timezone: 'UTC',
        color_scheme: undefined,
        twenty_four_hour_time: null,
      }),
    ).toEqual([
      { property: 'timezone', value: 'UTC' },
      { property: 'twenty_four_hour_time', value: null },
      { property: 'enter_sends', value: true },
    ]);
  });

  it('is empty when nothing is given', () => {
    expect(changedSettings(initial, {})).toEqual([]);
  });
});

describe(changeEvent.name, () => {
  it('has the setting and its value', () => {
    const event = { op: 'update', property: 'twenty_four_hour_time', value: null };
    expect(changeEvent({ property: 'twenty_four_hour_time', value: null })).toEqual(event);
  });

  it('has the name of a language', () => {
    expect(changeEvent({ property: 'default_language', value: 'de' })).toEqual({
      op: 'update',
      property: 'default_language',
      value: 'de',
      language_name: 'Deutsch',
    });
  });
});

describe(updateOf.name, () => {
  it('stores columns, sets members that differ from the default, and removes the others', () => {
    expect(
      updateOf(
        [
          { property: 'timezone', value: '' },
          { property: 'presence_enabled', value: true },
          { property: 'twenty_four_hour_time', value: null },
          { property: 'color_scheme', value: 1 },
          { property: 'enter_sends', value: true },
          { property: 'enable_sounds', value: true },
        ],
        ['timezone'],
      ),
    ).toEqual({
      edited: ['timezone'],
      columns: { timezone: '', presence_enabled: true },
      set: { twenty_four_hour_time: null, enter_sends: true },
      removed: ['color_scheme', 'enable_sounds'],
    });
  });
});

describe(userSettings.name, () => {
  it('returns the visibility of the sign-in address', () => {
    const visibility = (isEmailVisible: boolean) =>
      userSettings({ columns: {}, display: {}, isEmailVisible, edited: null })
        .email_address_visibility;
    expect([visibility(true), visibility(false)]).toEqual([1, 3]);
  });

  it('lists the emoji sets that can be chosen', () => {
    const { emojiset_choices } = defaultUserSettings();
    const { schema } = settingOf('emojiset');
    expect(emojiset_choices.map(({ key }) => schema.safeParse(key).success)).toEqual(
      emojiset_choices.map(() => true),
    );
    expect(emojiset_choices[0]).toEqual({ key: 'google', text: 'Google' });
  });
});

describe(defaultUserSettings.name, () => {
  it('has the values of the contract, without the time zone', () => {
    const { emojiset_choices, ...values } = defaultUserSettings();
    expect(emojiset_choices).toHaveLength(4);
    expect(values).toEqual({
      presence_enabled: true,
      enable_followed_topic_push_notifications: true,
      enable_followed_topic_wildcard_mentions_notify: true,
      enable_offline_push_notifications: true,
      enable_online_push_notifications: false,
      enable_stream_push_notifications: false,
      wildcard_mentions_notify: true,
      twenty_four_hour_time: false,
      default_language: 'en',
      color_scheme: 1,
      web_home_view: 'inbox',
      demote_inactive_streams: 1,
      emojiset: 'google',
      display_emoji_reaction_users: true,
      starred_message_counts: true,
      web_inbox_show_channel_folders: true,
      enter_sends: false,
      translate_emoticons: false,
      enable_drafts_synchronization: false,
      send_private_typing_notifications: true,
      send_stream_typing_notifications: true,
      receives_typing_notifications: true,
      send_read_receipts: true,
      enable_desktop_notifications: true,
      enable_sounds: true,
      pm_content_in_desktop_notifications: true,
      enable_stream_desktop_notifications: false,
      enable_stream_audible_notifications: false,
      enable_stream_email_notifications: false,
      email_address_visibility: 1,
      web_escape_navigates_to_home_view: true,
      web_channel_default_view: 1,
      web_mark_read_on_scroll_policy: 1,
      web_navigate_to_sent_message: true,
      web_suggest_update_timezone: true,
      web_font_size_px: 16,
      web_line_height_percent: 140,
      web_animate_image_previews: 'on_hover',
      web_stream_unreads_count_display_policy: 2,
      web_left_sidebar_show_channel_folders: true,
      web_left_sidebar_unreads_count_summary: true,
      user_list_style: 2,
      desktop_icon_count_display: 1,
      fluid_layout_width: false,
      high_contrast_mode: false,
      left_side_userlist: false,
      hide_ai_features: false,
      enable_followed_topic_desktop_notifications: true,
      enable_followed_topic_audible_notifications: true,
    });
  });
});
