export { RealmStateModule, type RealmStateOptions } from './realm-state.module.js';
