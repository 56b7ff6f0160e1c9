export { RealmStateModule } from './realm-state.module.js';
