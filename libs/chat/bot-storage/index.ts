export { botStorageErrors } from './bot-storage.errors.js';
