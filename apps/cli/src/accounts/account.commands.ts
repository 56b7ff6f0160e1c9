import type { Command } from 'commander';
import { roles } from '#contracts';
import { CommandFailure, wrongUse } from '../command-failure.js';
import { type CommandWorld, type CommonOptions, tell } from '../command-world.js';
import { leafCommand, organisationOption } from '../leaf-command.js';
import type { Finder } from '../stores/lend.js';
import { withUser } from './named-user.js';
import { newBotAnswer, newUserAnswer } from './new-account.answer.js';
import { parseRole } from './role.js';

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

const SAME_SECRET =
  'API_KEY_SECRET (or API_KEY_SECRET_FILE) must be that of the gateways: the API key is stored under it.';

/** `carillon user …` */
export function addUserCommands(program: Command, world: CommandWorld): void {
  const user = program.command('user').description('people: create their accounts');
  leafCommand(user, {
    usage: 'create <email>',
    description: 'create an account for a person',
    remarks: `Without --password-stdin the account has no password, and its API key is shown once.\n${SAME_SECRET}`,
    examples: [
      ['user create ada@example.org -o acme --name "Ada Example" --role owner', 'an owner'],
      [
        "user create bob@example.org -o '' --name Bob --password-stdin < password.txt",
        'a member who signs in by password, of the organisation at the root',
      ],
    ],
  })
    .requiredOption(
      organisationOption[0],
      "the organisation's subdomain, '' for the one at the root",
    )
    .requiredOption('-n, --name <name>', 'the full name')
    .option('-r, --role <role>', `one of ${Object.keys(roles).join(', ')}`, parseRole, roles.member)
    .option('--password-stdin', 'read the password from the standard input')
    .action((email: string, options: UserOptions) => createUser(world, email, options));
}

/** `carillon bot …` */
export function addBotCommands(program: Command, world: CommandWorld): void {
  const bot = program.command('bot').description('bots: create them');
  leafCommand(bot, {
    usage: 'create <email>',
    description: 'create a bot that belongs to a user, and show its API key once',
    remarks: SAME_SECRET,
    examples: [
      ['bot create deploy-bot@example.org --owner ada@example.org --name "Deploy Bot"', 'a bot'],
      ['bot create ci@example.org --owner 42 --name CI --json | jq -r .api_key', 'its key alone'],
    ],
  })
    .requiredOption('--owner <user>', 'whom it belongs to, by id or e-mail address')
    .requiredOption('-n, --name <name>', 'its name')
    .option(...organisationOption)
    .option('-r, --role <role>', `one of ${Object.keys(roles).join(', ')}`, parseRole, roles.member)
    .action((email: string, options: BotOptions) => createBot(world, email, options));
}

async function createUser(world: CommandWorld, email: string, options: UserOptions): Promise<void> {
  const { stores, terminal } = world;
  const { organisation, name: fullName, role } = options;
  const { CreateAccount, UserOperatorModule } = await import('#users');
  const { OrganisationsModule } = await import('#realms');
  const users = UserOperatorModule.with({ apiKeySecret: stores.apiKeySecret });
  const password = options.passwordStdin === true ? firstLine(await terminal.readInput()) : null;
  await stores.withDatabase([OrganisationsModule, users], async (find) => {
    const realm = await findOrganisation(find, organisation);
    const person = { email, fullName, role, password };
    const added = await find(CreateAccount).execute(realm.id, person);
    const account = { ...added, email, fullName, role, subdomain: realm.subdomain };
    tell(world, options, newUserAnswer(account, password !== null));
  });
}

async function createBot(world: CommandWorld, email: string, options: BotOptions): Promise<void> {
  const { owner: user, organisation, name: fullName, role } = options;
  const { CreateBot, UserOperatorModule } = await import('#users');
  const users = UserOperatorModule.with({ apiKeySecret: world.stores.apiKeySecret });
  await withUser(world, { user, organisation }, [users], async (owner, find) => {
    if (owner.isBot) {
      throw new CommandFailure('refused', `${owner.fullName} is a bot, and bots own no bots.`);
    }
    const added = await find(CreateBot).execute(owner, { email, fullName, role });
    const account = { ...added, email, fullName, role, subdomain: owner.realm.subdomain };
    tell(world, options, newBotAnswer(account, owner.id));
  });
}

async function findOrganisation(find: Finder, subdomain: string) {
  const { RealmRepository } = await import('#realms');
  const realm = await find(RealmRepository).findBySubdomain(subdomain);
  if (realm !== null) return realm;
  throw new CommandFailure(
    'unknown_organisation',
    `There is no organisation '${subdomain}'. \`carillon organisation create\` makes one; the one at the root is ''.`,
  );
}

/** A file that was written by an editor ends in a line break, which nobody means. */
function firstLine(input: string): string {
  const [line = ''] = input.split(/\r?\n/, 1);
  if (line === '') throw wrongUse('The standard input holds no password.');
  return line;
}
