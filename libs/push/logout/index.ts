export { ACCOUNT_CHANGE_PUBLISHER, AccountLogoutJob } from './account-logout.job.js';
export { DeviceRevokerModule } from './device-revoker.module.js';
export { LogoutRepository } from './logout.repository.js';
export { PushDeviceRevoker } from './push-device-revoker.js';
