import type { FoundAccount } from '#users';
import { CommandFailure } from '../command-failure.js';
import type { CommandWorld } from '../command-world.js';
import type { Finder, Modules } from '../stores/lend.js';

/** How whoever gives a command names a user. */
export interface UserName {
  /** An id or an address. */
  readonly user: string;
  readonly organisation?: string | undefined;
}

const HOW_TO_NAME =
  "Name a user by id, or by the e-mail address that signs in; with --organisation <subdomain> ('' for the one at the root) where several have it.";

/** Finds the one user that a name fits, and rejects with CommandFailure when it fits none or several. */
export async function findUser(
  find: Finder,
  { user, organisation }: UserName,
): Promise<FoundAccount> {
  const { FindAccounts } = await import('#users');
  const [found, ...others] = await find(FindAccounts).execute(user, organisation);
  const where = organisation === undefined ? '' : ` in the organisation '${organisation}'`;
  if (found === undefined) {
    throw new CommandFailure('unknown_user', `There is no user "${user}"${where}. ${HOW_TO_NAME}`);
  }
  if (others.length === 0) return found;
  const list = [found, ...others].map(
    ({ id, realm }) => `  ${id}  in '${realm.subdomain}' (${realm.name})`,
  );
  throw new CommandFailure(
    'ambiguous_user',
    [`Several users have the address "${user}":`, ...list, HOW_TO_NAME].join('\n'),
  );
}

type UserWork<Result> = (user: FoundAccount, find: Finder) => Promise<Result>;

/** Lends the use cases of modules that need the database alone, for a user that is looked up first. */
export async function withUser<Result>(
  { stores }: CommandWorld,
  name: UserName,
  modules: Modules,
  work: UserWork<Result>,
): Promise<Result> {
  const { AccountDirectoryModule } = await import('#users');
  return stores.withDatabase([AccountDirectoryModule, ...modules], async (find) =>
    work(await findUser(find, name), find),
  );
}

/** The same for modules that need the queues as well. */
export async function withUserAndQueues<Result>(
  { stores }: CommandWorld,
  name: UserName,
  modules: Modules,
  work: UserWork<Result>,
): Promise<Result> {
  const { AccountDirectoryModule } = await import('#users');
  return stores.withQueues([AccountDirectoryModule, ...modules], async (find) =>
    work(await findUser(find, name), find),
  );
}

/** A user as every answer shows it. */
export const userJson = ({ id, fullName, deliveryEmail, isActive, realm }: FoundAccount) => ({
  id,
  full_name: fullName,
  email: deliveryEmail,
  is_active: isActive,
  organisation: realm.subdomain,
});

/** The same for people. */
export const userText = ({ id, fullName, deliveryEmail, realm }: FoundAccount): string =>
  `${fullName} <${deliveryEmail}> (id ${id}, ${realm.name})`;
