export { RelayRegistrationController } from './relay-registration.controller.js';
