import type { DirectoryAccount } from '#directory/users';
import { CommandFailure } from '../command-failure.js';
import type { CommandContext, CommonOptions } from '../command-context.js';
import type { Resolver, Modules } from '../stores/with-modules.js';

/** The options of a command with a user. */
export interface UserOptions extends CommonOptions {
  readonly organisation?: string;
}

/** The user parameters of a command. */
interface UserName {
  /** A user id or an email address. */
  readonly user: string;
  readonly organisation?: string | undefined;
}

const HOW_TO_NAME =
  "Name a user by id or by the email address for sign-in. If several accounts have the address, add --organisation <subdomain> ('' for the one at the root).";

/** Finds the user with this name; rejects with CommandFailure if no user or several users match. */
export async function findUser(
  resolve: Resolver,
  { user, organisation }: UserName,
): Promise<DirectoryAccount> {
  const { AccountDirectoryService } = await import('#directory/users');
  const [found, ...others] = await resolve(AccountDirectoryService).find(user, organisation);
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

/** Work with the found user. */
export type UserWork<Result> = (user: DirectoryAccount, resolve: Resolver) => Promise<Result>;

/** Finds the user, and runs the work with modules that need only the database. */
export async function withUser<Result>(
  { stores }: CommandContext,
  name: UserName,
  modules: Modules,
  work: UserWork<Result>,
): Promise<Result> {
  const { AccountDirectoryModule } = await import('#directory/users');
  return stores.withDatabase([AccountDirectoryModule, ...modules], async (resolve) =>
    work(await findUser(resolve, name), resolve),
  );
}

/** Like `withUser`, for modules that also need the queues; with the options of `withQueues`. */
export async function withUserAndQueues<Result>(
  { stores }: CommandContext,
  name: UserName,
  modules: Modules,
  work: UserWork<Result>,
  options: { readonly isNeeded?: boolean } = {},
): Promise<Result> {
  const { AccountDirectoryModule } = await import('#directory/users');
  return stores.withQueues(
    [AccountDirectoryModule, ...modules],
    async (resolve) => work(await findUser(resolve, name), resolve),
    options,
  );
}

/** A user in JSON output. */
export const userJson = ({ id, fullName, deliveryEmail, isActive, realm }: DirectoryAccount) => ({
  id,
  full_name: fullName,
  email: deliveryEmail,
  is_active: isActive,
  organisation: realm.subdomain,
});

/** A user in text output. */
export const userText = ({ id, fullName, deliveryEmail, realm }: DirectoryAccount): string =>
  `${fullName} <${deliveryEmail}> (id ${id}, ${realm.name})`;
