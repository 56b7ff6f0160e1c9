export {
  type OperatorChange,
  operatorSettings,
  type RealmSetting,
  realmSetting,
} from './operator-settings.rules.js';
export { OperatorSettingsService } from './operator-settings.service.js';
export { RealmOperatorModule } from './realm-operator.module.js';
export { type RealmProfile, realmProfileOf } from './realm-profile.js';
export { type EmailDomain, type NewRealm, RealmRepository } from './realm.repository.js';
export { RealmsModule } from './realms.module.js';
export { MAX_RETENTION_DAYS, RealmsService, UNLIMITED_DAYS } from './realms.service.js';
export { subdomainOfHost, SYSTEM_SUBDOMAIN } from './subdomain.rules.js';
