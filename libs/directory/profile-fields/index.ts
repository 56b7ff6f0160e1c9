export { profileFieldErrors } from './profile-fields.errors.js';
export { ProfileFieldsModule } from './profile-fields.module.js';
export { ProfileValueRepository } from './profile-value.repository.js';
