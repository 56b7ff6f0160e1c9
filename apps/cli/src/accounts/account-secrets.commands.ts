import type { Command } from 'commander';
import { CommandFailure, wrongUse } from '../command-failure.js';
import { type CommandContext, printAnswer } from '../command-context.js';
import { leafCommand, organisationOption } from '../leaf-command.js';
import { confirm } from '../output/confirm.js';
import { recorded } from '../stores/recorded.js';
import {
  type UserOptions,
  type UserWork,
  userJson,
  userText,
  withUser,
  withUserAndQueues,
} from './named-user.js';
import { keyText } from './new-account.answer.js';

/** A help text. */
export const SAME_SECRET =
  'API_KEY_SECRET (or API_KEY_SECRET_FILE) must be that of the gateways: it encrypts the API key.';

interface KeyOptions extends UserOptions {
  readonly yes?: boolean;
}

/** `carillon user set-password` and `carillon user regenerate-key` */
export function addSecretCommands(user: Command, context: CommandContext): void {
  leafCommand(user, {
    usage: 'set-password <user>',
    description: "replace a user's password",
    remarks:
      'Clients that are signed in stay signed in: they have the API key. `carillon user regenerate-key` signs them out.',
    examples: [
      ['user set-password 42 --password-stdin < password.txt', 'of the user with the id 42'],
    ],
  })
    .option(...organisationOption)
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action((name: string, options: UserOptions) => setPassword(context, name, options));
  leafCommand(user, {
    usage: 'regenerate-key <user>',
    description:
      'replace the API key of a user or a bot, log out its phones, and show the new key once',
    remarks: `The old key is refused from the answer on.\n${SAME_SECRET}`,
    examples: [
      ['user regenerate-key ada@example.org', 'asks first'],
      ['user regenerate-key 42 --yes --json | jq -r .api_key', 'print only the new key'],
    ],
  })
    .option(...organisationOption)
    .option('-y, --yes', 'do not ask')
    .action((name: string, options: KeyOptions) => regenerateKey(context, name, options));
}

async function setPassword(
  context: CommandContext,
  user: string,
  options: UserOptions,
): Promise<void> {
  const { PasswordOperatorModule, PasswordOperatorService } = await import('#directory/users');
  const password = firstLine(await context.terminal.readInput());
  const name = { user, organisation: options.organisation };
  await withUser(context, name, [PasswordOperatorModule], async (found, resolve) => {
    if (found.isBot) {
      throw new CommandFailure('refused', `${found.fullName} is a bot, and bots have no password.`);
    }
    await recorded(resolve, async (transaction, record) => {
      await resolve(PasswordOperatorService).replace(transaction, found, password);
      await record({ action: 'user.set-password', target: `user ${found.id}`, details: {} });
    });
    const text = `The password of ${userText(found)} was replaced.`;
    printAnswer(context, options, { json: { user: userJson(found) }, text });
  });
}

async function regenerateKey(
  context: CommandContext,
  user: string,
  options: KeyOptions,
): Promise<void> {
  const { ApiKeyOperatorModule, ApiKeysService } = await import('#directory/auth');
  const { DeviceRevokerModule } = await import('#push/devices');
  const { apiKeySecret } = context.stores;
  const modules = [ApiKeyOperatorModule.with({ apiKeySecret, imports: [DeviceRevokerModule] })];
  const name = { user, organisation: options.organisation };
  const work: UserWork<void> = async (found, resolve) => {
    const question = `Replace the API key of ${found.fullName} and log out its phones?`;
    await confirm(context.terminal, options.yes === true, question);
    const keys = resolve(ApiKeysService);
    const apiKey = await recorded(resolve, async (transaction, record) => {
      const owner = { userId: found.id, realmId: found.realm.id, keyGeneration: null };
      const replaced = await keys.replace(transaction, owner);
      if (replaced === null) {
        throw new CommandFailure(
          'refused',
          `${found.fullName} is deactivated: its key is refused.`,
        );
      }
      await record({ action: 'user.regenerate-key', target: `user ${found.id}`, details: {} });
      return replaced;
    });
    const done = `The API key of ${userText(found)} was replaced, and its phones are logged out.`;
    printAnswer(context, options, {
      json: { user: userJson(found), api_key: apiKey },
      text: [done, ...keyText({ apiKey })].join('\n'),
    });
  };
  // While Redis is down, the gateways refuse the old key by the record.
  await withUserAndQueues(context, name, modules, work, { isNeeded: false });
}

/** The password. An editor ends a file with a line break, which is not part of it. */
export function firstLine(input: string): string {
  const [line = ''] = input.split(/\r?\n/, 1);
  if (line === '') throw wrongUse('The standard input holds no password.');
  return line;
}
