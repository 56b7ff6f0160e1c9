import { z } from 'zod';
import { MAX_RETENTION_DAYS, operatorSettings, realmSetting } from '#directory/realms';

const channel = z.int().min(-1);

/** The settings that `PATCH /realm` changes, by their names. */
export const apiSettings = {
  name: operatorSettings.name,
  description: operatorSettings.description,
  send_channel_events_messages: operatorSettings.send_channel_events_messages,
  moderation_request_channel_id: realmSetting(
    channel,
    'the id of a private channel, or -1 for none',
  ),
  new_stream_announcements_stream_id: realmSetting(channel, 'the id of a channel, or -1 for none'),
  require_e2ee_push_notifications: realmSetting(z.boolean(), 'true or false'),
  message_retention_days: realmSetting(
    z.union([z.literal('unlimited'), z.int().min(1).max(MAX_RETENTION_DAYS)]),
    `a number of days from 1 to ${MAX_RETENTION_DAYS}, or unlimited`,
  ),
};

/** All settings of an organisation by their names, for an operator. */
export const realmSettings = { ...apiSettings, ...operatorSettings };

type Settings = typeof realmSettings;

/** Changes of settings; a missing member changes nothing. */
export type RealmChange = {
  readonly [Name in keyof Settings]?: z.output<Settings[Name]['schema']> | undefined;
};
