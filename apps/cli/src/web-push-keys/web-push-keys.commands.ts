import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import { confirm } from '../output/confirm.js';
import { type RemovalOptions, removedKeyAnswer } from '../push-keys/push-keys.answer.js';
import { recorded } from '../stores/recorded.js';
import { addedWebPushKeyAnswer, webPushKeysAnswer } from './web-push-keys.answer.js';

/** `carillon web-push-keys …` */
export function addWebPushKeyCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('web-push-keys')
    .description('the VAPID keys that browsers subscribe with: list, add, remove');
  leafCommand(keys, {
    usage: 'list',
    description: 'list the public keys, the newest first',
    remarks: 'New subscriptions are made with the newest one.',
    examples: [['web-push-keys list', 'all public keys']],
  }).action((options: CommonOptions) => list(context, options));
  leafCommand(keys, {
    usage: 'add',
    description: 'make a key pair, with which new subscriptions are made from now on',
    remarks:
      'Earlier keys stay for the subscriptions that were made with them. PUSH_KEY_SECRET (or PUSH_KEY_SECRET_FILE) must be that of the gateways and workers: it encrypts the private key.',
    examples: [['web-push-keys add', 'a new key pair']],
  }).action((options: CommonOptions) => add(context, options));
  leafCommand(keys, {
    usage: 'remove <public-key>',
    description: 'remove a key pair that no subscription uses any more',
    remarks:
      'Subscriptions that were made with this key get no more notifications: no other key can send to them.',
    examples: [
      [
        'web-push-keys remove BJ1TZVnPCBp3cqyWYzDZNHCmZ-Hd1Td7lyLyMXIR7Ycp0kW2TmzzcNdWbXRkzC8PZCLNSo_ygdfwQFg5S_5r5rI',
        'asks before it removes',
      ],
    ],
  })
    .option('-y, --yes', 'do not ask')
    .action((publicKey: string, options: RemovalOptions) => remove(context, publicKey, options));
}

async function list(context: CommandContext, options: CommonOptions): Promise<void> {
  const { WebPushKeys } = await import('#push/providers');
  const { PushServiceModule } = await import('#push/relay');
  await context.stores.withDatabase([PushServiceModule.with(null)], async (resolve) => {
    printAnswer(context, options, webPushKeysAnswer(await resolve(WebPushKeys).list()));
  });
}

async function add(context: CommandContext, options: CommonOptions): Promise<void> {
  const { WebPushKeys } = await import('#push/providers');
  const { WebPushKeyChanges, WebPushKeyChangesModule } = await import('#push/devices');
  const { PushServiceModule } = await import('#push/relay');
  const service = PushServiceModule.with(context.stores.pushKeySecret);
  await context.stores.withDatabase([service, WebPushKeyChangesModule], async (resolve) => {
    const publicKey = await recorded(resolve, async (transaction, record) => {
      const added = await resolve(WebPushKeys).add(transaction);
      await record({ action: 'web-push-keys.add', target: added });
      await resolve(WebPushKeyChanges).append(transaction);
      return added;
    });
    printAnswer(context, options, addedWebPushKeyAnswer(publicKey));
  });
}

async function remove(
  context: CommandContext,
  publicKey: string,
  options: RemovalOptions,
): Promise<void> {
  const { WebPushKeys } = await import('#push/providers');
  const { WebPushKeyChanges, WebPushKeyChangesModule } = await import('#push/devices');
  const { PushServiceModule } = await import('#push/relay');
  const modules = [PushServiceModule.with(null), WebPushKeyChangesModule];
  await context.stores.withDatabase(modules, async (resolve) => {
    const keys = resolve(WebPushKeys);
    const known = (await keys.idOf(publicKey)) !== null;
    if (known) {
      const question = `Remove ${publicKey}? Subscriptions that were made with it get no more notifications.`;
      await confirm(context.terminal, options.yes === true, question);
    }
    const isRemoved = await recorded(resolve, async (transaction, record) => {
      if (!known || !(await keys.remove(publicKey, transaction))) return false;
      await record({ action: 'web-push-keys.remove', target: publicKey });
      await resolve(WebPushKeyChanges).append(transaction);
      return true;
    });
    if (!isRemoved) {
      throw new CommandFailure(
        'not_found',
        `There is no key ${publicKey}. \`carillon web-push-keys list\` lists the existing ones.`,
      );
    }
    printAnswer(context, options, removedKeyAnswer(publicKey));
  });
}
