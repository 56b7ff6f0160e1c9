export { BotStorageController } from './bot-storage.controller.js';
