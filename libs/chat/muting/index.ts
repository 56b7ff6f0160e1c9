export { mutedUserErrors } from './muted-users.errors.js';
