import type { Command } from 'commander';
import { roles } from '#directory/roles';
import { CommandFailure } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand, organisationOption } from '../leaf-command.js';
import { findRealm } from '../organisations/find-organisation.js';
import { recordDone } from '../stores/recorded.js';
import { addSecretCommands, firstLine, SAME_SECRET } from './account-secrets.commands.js';
import { withUser } from './named-user.js';
import {
  type NewAccountAnswer,
  newBotAnswer,
  newUserAnswer,
  parseRole,
  roleName,
} from './new-account.answer.js';

interface UserOptions extends CommonOptions {
  readonly organisation: string;
  readonly name: string;
  readonly role: number;
  readonly passwordStdin?: boolean;
}

interface BotOptions extends CommonOptions {
  readonly owner: string;
  readonly organisation?: string;
  readonly name: string;
  readonly role: number;
}

/** `carillon user …` */
export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program
    .command('user')
    .description('user accounts: create, set-password, regenerate-key');
  leafCommand(user, {
    usage: 'create <email>',
    description: 'create an account for a user',
    remarks: `Without --password-stdin the account has no password, and its API key is shown once.\n${SAME_SECRET}`,
    examples: [
      ['user create ada@example.org -o acme --name "Ada Example" --role owner', 'an owner'],
      [
        "user create bob@example.org -o '' --name Bob --password-stdin < password.txt",
        'a member with a password, in the organisation at the root',
      ],
    ],
  })
    .requiredOption(
      organisationOption[0],
      "the subdomain of the organisation, '' for the one at the root",
    )
    .requiredOption('-n, --name <name>', 'the full name')
    .option('-r, --role <role>', `one of ${Object.keys(roles).join(', ')}`, parseRole, roles.member)
    .option('--password-stdin', 'read the password from standard input')
    .action((email: string, options: UserOptions) => createUser(context, email, options));
  addSecretCommands(user, context);
}

/** `carillon bot …` */
export function addBotCommands(program: Command, context: CommandContext): void {
  const bot = program.command('bot').description('bots: create');
  leafCommand(bot, {
    usage: 'create <email>',
    description: 'create a bot of a user, and show its API key once',
    remarks: SAME_SECRET,
    examples: [
      ['bot create deploy-bot@example.org --owner ada@example.org --name "Deploy Bot"', 'a bot'],
      [
        'bot create ci@example.org --owner 42 --name CI --json | jq -r .api_key',
        'print only its key',
      ],
    ],
  })
    .requiredOption('--owner <user>', 'its owner, by id or email address')
    .requiredOption('-n, --name <name>', 'its name')
    .option(...organisationOption)
    .option('-r, --role <role>', `one of ${Object.keys(roles).join(', ')}`, parseRole, roles.member)
    .action((email: string, options: BotOptions) => createBot(context, email, options));
}

async function createUser(
  context: CommandContext,
  email: string,
  options: UserOptions,
): Promise<void> {
  const { stores, terminal } = context;
  const { organisation, name: fullName, role } = options;
  const { DefaultSubscriptionsModule } = await import('#chat/channels');
  const { AccountOperatorService, UserOperatorModule } = await import('#directory/users');
  const { RealmsModule } = await import('#directory/realms');
  const users = UserOperatorModule.with({ apiKeySecret: stores.apiKeySecret });
  const password = options.passwordStdin === true ? firstLine(await terminal.readInput()) : null;
  await stores.withDatabase([DefaultSubscriptionsModule, RealmsModule, users], async (resolve) => {
    const realm = await findRealm(resolve, organisation);
    const person = { email, fullName, role, password };
    const added = await resolve(AccountOperatorService).createUser(realm.id, person);
    const account = { ...added, email, fullName, role, subdomain: realm.subdomain };
    await recordDone(resolve, creationOf('user.create', account));
    printAnswer(context, options, newUserAnswer(account, password !== null));
  });
}

async function createBot(
  context: CommandContext,
  email: string,
  options: BotOptions,
): Promise<void> {
  const { owner: user, organisation, name: fullName, role } = options;
  const { DefaultSubscriptionsModule } = await import('#chat/channels');
  const { AccountOperatorService, UserOperatorModule } = await import('#directory/users');
  const users = UserOperatorModule.with({ apiKeySecret: context.stores.apiKeySecret });
  const modules = [DefaultSubscriptionsModule, users];
  await withUser(context, { user, organisation }, modules, async (owner, resolve) => {
    if (owner.isBot) {
      throw new CommandFailure('refused', `${owner.fullName} is a bot, and bots own no bots.`);
    }
    const added = await resolve(AccountOperatorService).createBot(owner, { email, fullName, role });
    const account = { ...added, email, fullName, role, subdomain: owner.realm.subdomain };
    await recordDone(resolve, creationOf('bot.create', account));
    printAnswer(context, options, newBotAnswer(account, owner.id));
  });
}

const creationOf = (
  action: string,
  { userId, role, subdomain: organisation }: NewAccountAnswer,
) => ({
  action,
  target: `user ${userId}`,
  details: { role: roleName(role), organisation },
});
