export { LinkifiersController } from './linkifiers.controller.js';
