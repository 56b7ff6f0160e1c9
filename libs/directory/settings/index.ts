export { PRESENCE_VISIBILITY } from './presence-sharing.js';
export { SettingRepository } from './setting.repository.js';
export {
  NOTIFICATION_WISHES_HOOK,
  type NotificationWishesHook,
  QUIET_SETTINGS_HOOK,
  type QuietChange,
  type QuietSettingsHook,
  SETTINGS_HOOK,
  type SettingsHook,
} from './settings-hook.js';
export type { QuietHours } from './quiet-hours.rules.js';
export { MAX_SNOOZE_SECONDS, settingTable } from './setting-table.rules.js';
export { SettingsModule } from './settings.module.js';
export {
  type SettingUpdate,
  type SettingsInput,
  type UserSettings,
  userSettings,
} from './settings.rules.js';
export { SettingsService } from './settings.service.js';
