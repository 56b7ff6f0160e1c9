export { userStatusErrors } from './user-status.errors.js';
