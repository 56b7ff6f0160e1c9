export { administrators, members } from './requirements.js';
export { roleErrors } from './role.errors.js';
export { isAdministrator, isGuest, mayAdminister, roles } from './roles.js';
