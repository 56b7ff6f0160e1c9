export { ServerSettingsController } from './server-settings.controller.js';
