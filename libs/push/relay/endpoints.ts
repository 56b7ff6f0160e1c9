export { RelayRegistrationController } from './registration/relay-registration.controller.js';
