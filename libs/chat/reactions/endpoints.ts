export { ReactionsController } from './reactions.controller.js';
