export { RegisterController } from './register.controller.js';
