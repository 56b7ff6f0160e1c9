export { botStorageErrors } from './bot-storage.errors.js';
export { BotStorageModule } from './bot-storage.module.js';
