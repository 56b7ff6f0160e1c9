import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.js';
import { type CommandWorld, type CommonOptions, printAnswer } from '../command-world.js';
import { leafCommand } from '../leaf-command.js';
import { confirm } from '../output/confirm.js';
import { recorded } from '../stores/recorded.js';
import { addedKeyAnswer, pushKeysAnswer, removedKeyAnswer } from './push-keys.answer.js';

interface RemovalOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** `carillon push-keys …` */
export function addPushKeyCommands(program: Command, world: CommandWorld): void {
  const keys = program
    .command('push-keys')
    .description('the keys that apps seal their push tokens to: list, add, remove');
  leafCommand(keys, {
    usage: 'list',
    description: 'list the public keys, the newest first',
    examples: [['push-keys list', 'all public keys']],
  }).action((options: CommonOptions) => list(world, options));
  leafCommand(keys, {
    usage: 'add',
    description: 'make a key pair, and show the public key for the next release of an app',
    remarks:
      'Earlier keys stay valid for the releases that have them. PUSH_KEY_SECRET (or PUSH_KEY_SECRET_FILE) must be that of the gateways and workers: it encrypts the private key.',
    examples: [
      ['push-keys add', 'a new key pair'],
      ['push-keys add --json | jq -r .public_key', 'print only the public key'],
    ],
  }).action((options: CommonOptions) => add(world, options));
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
    .action((publicKey: string, options: RemovalOptions) => remove(world, publicKey, options));
}

async function list(world: CommandWorld, options: CommonOptions): Promise<void> {
  const { PushKeys, PushServiceModule } = await import('#push/service');
  await world.stores.withDatabase([PushServiceModule.with(null)], async (resolve) => {
    printAnswer(world, options, pushKeysAnswer(await resolve(PushKeys).list()));
  });
}

async function add(world: CommandWorld, options: CommonOptions): Promise<void> {
  const { PushKeys, PushServiceModule } = await import('#push/service');
  const service = PushServiceModule.with(world.stores.pushKeySecret);
  await world.stores.withDatabase([service], async (resolve) => {
    const publicKey = await recorded(resolve, async (transaction, record) => {
      const added = await resolve(PushKeys).add(transaction);
      await record({ action: 'push-keys.add', target: added });
      return added;
    });
    printAnswer(world, options, addedKeyAnswer(publicKey));
  });
}

async function remove(
  world: CommandWorld,
  publicKey: string,
  options: RemovalOptions,
): Promise<void> {
  const { PushKeys, PushServiceModule } = await import('#push/service');
  await world.stores.withDatabase([PushServiceModule.with(null)], async (resolve) => {
    const keys = resolve(PushKeys);
    const known = (await keys.list()).some((key) => key.publicKey === publicKey);
    if (known) {
      const question = `Remove ${publicKey}? Apps with this key cannot register any more.`;
      await confirm(world.terminal, options.yes === true, question);
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
    printAnswer(world, options, removedKeyAnswer(publicKey));
  });
}
