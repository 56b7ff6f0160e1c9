export { profileValues } from './profile-fields.schema.js';
export { ProfileFieldsController } from './profile-fields.controller.js';
