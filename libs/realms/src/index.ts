export { CreateOrganisation, type OrganisationRefusal } from './create-organisation.js';
export { OrganisationsModule } from './organisations.module.js';
export { RealmRepository, type RealmRow } from './realm.repository.js';
export { subdomainOfHost } from './subdomain.rules.js';
