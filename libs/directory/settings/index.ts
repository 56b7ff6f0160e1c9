export { PRESENCE_VISIBILITY, PresenceSharing } from './presence-sharing.js';
export { SettingsModule } from './settings.module.js';
