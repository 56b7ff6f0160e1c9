export { ChangeProfileData } from './change-profile-data.js';
export { CreateProfileField } from './create-profile-field.js';
export { DeleteProfileField } from './delete-profile-field.js';
export { ListProfileFields } from './list-profile-fields.js';
export type { ProfileField } from './profile-field.js';
export { LONGEST_HINT, LONGEST_NAME, type ProfileFieldRequest } from './new-profile-field.rules.js';
export { ProfileFieldsModule } from './profile-fields.module.js';
export {
  type ProfileData,
  type ProfileValue,
  ProfileValueRepository,
} from './profile-value.repository.js';
