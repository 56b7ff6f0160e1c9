export { profileFieldErrors } from './profile-fields.errors.js';
export { type FieldInput, ProfileFieldsService } from './profile-fields.service.js';
export { ProfileFieldsModule } from './profile-fields.module.js';
