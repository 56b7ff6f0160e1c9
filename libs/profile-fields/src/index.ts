export { ProfileFieldsModule } from './profile-fields.module.js';
