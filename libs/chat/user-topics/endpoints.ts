export { UserTopicsController } from './user-topics.controller.js';
