export { RealmStateController } from './realm-state.controller.js';
