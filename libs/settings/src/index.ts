export { ChangePresenceSharing } from './change-presence-sharing.js';
export { ChangeSettings, type SettingsChange } from './change-settings.js';
export type { NotificationSettings } from './notification-settings.js';
export { SettingsModule } from './settings.module.js';
