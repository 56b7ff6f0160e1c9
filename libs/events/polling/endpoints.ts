export { EventsController } from './events.controller.js';
