export { AlertWordsModule } from './alert-words.module.js';
export { AlertWordsService, MAX_WORDS as MAX_ALERT_WORDS } from './alert-words.service.js';
