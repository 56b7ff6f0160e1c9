export { RealmRepository, type RealmRow } from './realm.repository.js';
export { subdomainOfHost } from './subdomain.rules.js';
