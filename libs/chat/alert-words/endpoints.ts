export { AlertWordsController } from './alert-words.controller.js';
