import { CommandFailure } from '../command-failure.js';
import type { Resolver } from '../stores/with-modules.js';

/** Finds the organisation with this subdomain; rejects with CommandFailure if there is none. */
export async function findRealm(resolve: Resolver, subdomain: string) {
  const { RealmRepository } = await import('#directory/realms');
  const realm = await resolve(RealmRepository).findBySubdomain(subdomain);
  if (realm !== null) return realm;
  throw realmNotFound(subdomain);
}

export const realmNotFound = (subdomain: string): CommandFailure =>
  new CommandFailure(
    'unknown_organisation',
    `There is no organisation '${subdomain}'. \`carillon organisation create\` makes one; the one at the root is ''.`,
  );
