import type { ParametersOf } from '#edge';
import type { SettingsChange } from '#settings';
import type { changeSettings } from './settings.schema.js';

/** What is to be different, by the parameters of the endpoint. */
export const toSettingsChange = (
  parameters: ParametersOf<typeof changeSettings>,
): SettingsChange => ({
  fullName: parameters.full_name,
  timezone: parameters.timezone,
  sharesPresence: parameters.presence_enabled,
  notifications: {
    isPushEnabled: parameters.enable_offline_push_notifications,
    isPushedOnline: parameters.enable_online_push_notifications,
    isPushedChannels: parameters.enable_stream_push_notifications,
    isPushedWildcards: parameters.wildcard_mentions_notify,
  },
});
