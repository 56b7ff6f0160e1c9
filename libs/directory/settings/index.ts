export { PRESENCE_VISIBILITY } from './presence-sharing.js';
export { SettingRepository } from './setting.repository.js';
export { SETTINGS_HOOK, type SettingsHook } from './settings-hook.js';
export { settingTable } from './setting-table.rules.js';
export { SettingsModule } from './settings.module.js';
export {
  type ChangedSetting,
  defaultUserSettings,
  type GivenSettings,
  type UserSettings,
  userSettings,
} from './settings.rules.js';
export { type SettingsChange, SettingsService } from './settings.service.js';
