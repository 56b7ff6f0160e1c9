export { addDirectPolls } from './direct-polls.js';
export { EventsController } from './events.controller.js';
