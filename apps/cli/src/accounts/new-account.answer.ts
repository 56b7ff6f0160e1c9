import type { AddedAccount } from '#users';
import type { Answer } from '../command-world.js';
import { roleName } from './role.js';

/** An account that was just made. */
interface MadeAccount extends AddedAccount {
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
  readonly subdomain: string;
}

/** A person's account; its API key is shown only where nothing else signs in. */
export const newUserAnswer = (account: MadeAccount, hasPassword: boolean): Answer => ({
  json: { ...accountJson(account), api_key: hasPassword ? null : account.apiKey },
  text: [
    `${account.fullName} <${account.email}> was created (id ${account.userId}, ${roleName(account.role)}).`,
    ...(hasPassword ? ['The password signs in.'] : keyText(account)),
  ].join('\n'),
});

/** A bot, with the API key that it signs in with. */
export const newBotAnswer = (account: MadeAccount, ownerId: number): Answer => ({
  json: { ...accountJson(account), owner_id: ownerId, api_key: account.apiKey },
  text: [
    `${account.fullName} <${account.email}> was created (id ${account.userId}, bot of user ${ownerId}).`,
    ...keyText(account),
  ].join('\n'),
});

const accountJson = ({ userId, email, fullName, role, subdomain }: MadeAccount) => ({
  id: userId,
  email,
  full_name: fullName,
  role: roleName(role),
  organisation: subdomain,
});

const keyText = ({ apiKey }: MadeAccount): string[] => [
  `  API key  ${apiKey}`,
  'It is shown this once: keep it where nobody else reads it.',
];
