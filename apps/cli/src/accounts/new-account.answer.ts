import { InvalidArgumentError } from 'commander';
import { roles } from '#directory/roles';
import type { AccountWithKey } from '#directory/users';
import type { Answer } from '../command-context.js';

/** A created account. */
export interface NewAccountAnswer extends AccountWithKey {
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
  readonly subdomain: string;
}

/** The output for a new user. It shows the API key only if there is no password to sign in with. */
export const newUserAnswer = (account: NewAccountAnswer, hasPassword: boolean): Answer => ({
  json: { ...accountJson(account), api_key: hasPassword ? null : account.apiKey },
  text: [
    `${account.fullName} <${account.email}> was created (id ${account.userId}, ${roleName(account.role)}).`,
    ...(hasPassword ? ['The user signs in with the password.'] : keyText(account)),
  ].join('\n'),
});

/** The output for a new bot, with its API key. */
export const newBotAnswer = (account: NewAccountAnswer, ownerId: number): Answer => ({
  json: { ...accountJson(account), owner_id: ownerId, api_key: account.apiKey },
  text: [
    `${account.fullName} <${account.email}> was created (id ${account.userId}, bot of user ${ownerId}).`,
    ...keyText(account),
  ].join('\n'),
});

const accountJson = ({ userId, email, fullName, role, subdomain }: NewAccountAnswer) => ({
  id: userId,
  email,
  full_name: fullName,
  role: roleName(role),
  organisation: subdomain,
});

/** The lines that show an API key. */
export const keyText = ({ apiKey }: { readonly apiKey: string }): string[] => [
  `  API key  ${apiKey}`,
  'It is shown only once: store it in a safe place.',
];

/** Parses the name of a role to its number. */
export function parseRole(text: string): number {
  const role = Object.entries(roles).find(([name]) => name === text.toLowerCase());
  if (role !== undefined) return role[1];
  throw new InvalidArgumentError(`Expected one of ${Object.keys(roles).join(', ')}.`);
}

/** The name of a role, or the number of an unknown role. */
export const roleName = (role: number): string =>
  Object.entries(roles).find(([, number]) => number === role)?.[0] ?? String(role);
