export { registerErrors } from './register.errors.js';
