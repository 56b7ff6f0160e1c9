export { RegisterModule } from './register.module.js';
export { registerErrors } from './register.errors.js';
