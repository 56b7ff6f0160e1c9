export { ProfileFieldsController } from './profile-fields.controller.js';
