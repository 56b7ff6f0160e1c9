export { makeServiceSignIn, RelayRegistration, type ServiceSignIn } from './relay-registration.js';
export { TransferSecrets } from './transfer-secrets.js';
