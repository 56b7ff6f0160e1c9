export { type RealmProfile, realmProfileOf } from './realm-profile.js';
export { RealmRepository } from './realm.repository.js';
export { RealmsModule } from './realms.module.js';
export { RealmsService, UNLIMITED_DAYS } from './realms.service.js';
export { subdomainOfHost, SYSTEM_SUBDOMAIN } from './subdomain.rules.js';
