export { ApiKeyController } from './api-key.controller.js';
