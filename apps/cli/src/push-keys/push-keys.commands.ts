import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import { confirm } from '../output/confirm.js';
import { recorded } from '../stores/recorded.js';
import {
  addedKeyAnswer,
  pushKeysAnswer,
  type RemovalOptions,
  removedKeyAnswer,
} from './push-keys.answer.js';

/** `carillon push-keys …` */
export function addPushKeyCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('push-keys')
    .description('the keys that apps seal their push tokens to: list, add, remove');
  leafCommand(keys, {
    usage: 'list',
    description: 'list the public keys, the newest first',
    examples: [['push-keys list', 'all public keys']],
  }).action((options: CommonOptions) => list(context, options));
  leafCommand(keys, {
    usage: 'add',
    description: 'make a key pair, and show the public key for the next release of an app',
    remarks:
      'Earlier keys stay valid for the releases that have them. PUSH_KEY_SECRET (or PUSH_KEY_SECRET_FILE) must be that of the gateways and workers: it encrypts the private key.',
    examples: [
      ['push-keys add', 'a new key pair'],
      ['push-keys add --json | jq -r .public_key', 'print only the public key'],
    ],
  }).action((options: CommonOptions) => add(context, options));
  leafCommand(keys, {
    usage: 'remove <public-key>',
    description: 'remove a key pair that no app uses any more',
    remarks:
      'Apps with this key cannot register any more. Phones that are registered go on receiving notifications.',
    examples: [
      ['push-keys remove RwHQhIhFH1RaQJ+1iuPlhYHKQKw/fxFGmM1x3qxzygE=', 'asks before it removes'],
    ],
  })
    .option('-y, --yes', 'do not ask')
    .action((publicKey: string, options: RemovalOptions) => remove(context, publicKey, options));
}

async function list(context: CommandContext, options: CommonOptions): Promise<void> {
  const { PushKeys } = await import('#push/tokens');
  const { PushServiceModule } = await import('#push/relay');
  await context.stores.withDatabase([PushServiceModule.with(null)], async (resolve) => {
    printAnswer(context, options, pushKeysAnswer(await resolve(PushKeys).list()));
  });
}

async function add(context: CommandContext, options: CommonOptions): Promise<void> {
  const { PushKeys } = await import('#push/tokens');
  const { PushServiceModule } = await import('#push/relay');
  const service = PushServiceModule.with(context.stores.pushKeySecret);
  await context.stores.withDatabase([service], async (resolve) => {
    const publicKey = await recorded(resolve, async (transaction, record) => {
      const added = await resolve(PushKeys).add(transaction);
      await record({ action: 'push-keys.add', target: added });
      return added;
    });
    printAnswer(context, options, addedKeyAnswer(publicKey));
  });
}

async function remove(
  context: CommandContext,
  publicKey: string,
  options: RemovalOptions,
): Promise<void> {
  const { PushKeys } = await import('#push/tokens');
  const { PushServiceModule } = await import('#push/relay');
  await context.stores.withDatabase([PushServiceModule.with(null)], async (resolve) => {
    const keys = resolve(PushKeys);
    const known = (await keys.list()).some((key) => key.publicKey === publicKey);
    if (known) {
      const question = `Remove ${publicKey}? Apps with this key cannot register any more.`;
      await confirm(context.terminal, options.yes === true, question);
    }
    const isRemoved = await recorded(resolve, async (transaction, record) => {
      if (!known || !(await keys.remove(publicKey, transaction))) return false;
      await record({ action: 'push-keys.remove', target: publicKey });
      return true;
    });
    if (!isRemoved) {
      throw new CommandFailure(
        'not_found',
        `There is no key ${publicKey}. \`carillon push-keys list\` lists the existing ones.`,
      );
    }
    printAnswer(context, options, removedKeyAnswer(publicKey));
  });
}
