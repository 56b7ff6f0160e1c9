import type { Command } from 'commander';
import { counted } from '#platform/core';
import {
  type UserOptions,
  type UserWork,
  withUser,
  withUserAndQueues,
} from '../accounts/named-user.js';
import { CommandFailure, wrongUse } from '../command-failure.js';
import { type CommandContext, printAnswer } from '../command-context.js';
import { leafCommand, organisationOption, parseRowId } from '../leaf-command.js';
import { confirm } from '../output/confirm.js';
import { recorded } from '../stores/recorded.js';
import { devicesAnswer, removalAnswer } from './devices.answer.js';

interface RemovalOptions extends UserOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** `carillon devices …` */
export function addDeviceCommands(program: Command, context: CommandContext): void {
  const devices = program.command('devices').description("a user's phones: list, remove");
  leafCommand(devices, {
    usage: 'list <user>',
    description: "list a user's registered phones; tokens are shown as fingerprints",
    examples: [
      ['devices list 42', 'the phones of the user with the id 42'],
      ['devices list ada@example.org -o acme', 'by email address, in the organisation acme'],
      ["devices list 42 --json | jq '.devices[].id'", 'their ids, for a script'],
    ],
  })
    .option(...organisationOption)
    .action((user: string, options: UserOptions) => list(context, user, options));
  leafCommand(devices, {
    usage: 'remove <user> [ids...]',
    description: 'remove phones of a user: they receive nothing more',
    remarks: 'The app on such a phone may register it again when it is opened.',
    examples: [
      ['devices remove 42 7 8', 'the devices 7 and 8 of the user 42; asks first'],
      ['devices remove ada@example.org --all --yes', 'all of them, without asking'],
    ],
  })
    .option(...organisationOption)
    .option('--all', 'remove all of them')
    .option('-y, --yes', 'do not ask')
    .action((user: string, ids: string[], options: RemovalOptions) =>
      remove(context, user, { ...options, ids: ids.map(parseRowId) }),
    );
}

async function list(context: CommandContext, user: string, options: UserOptions): Promise<void> {
  const { DeviceInventoryModule, DeviceInventoryRepository } = await import('#push/devices');
  const name = { user, organisation: options.organisation };
  await withUser(context, name, [DeviceInventoryModule], async (found, resolve) => {
    const devices = await resolve(DeviceInventoryRepository).list(found.id);
    printAnswer(context, options, devicesAnswer(found, devices));
  });
}

async function remove(
  context: CommandContext,
  user: string,
  { ids, all, ...options }: RemovalOptions & { readonly ids: readonly number[] },
): Promise<void> {
  if (ids.length > 0 === (all === true)) {
    throw wrongUse('Say which devices: their ids as `carillon devices list` shows them, or --all.');
  }
  const { DeviceInventoryModule, DeviceInventoryRepository } = await import('#push/devices');
  const { PushRevocations, PushRevocationsModule } = await import('#push/revocations');
  const name = { user, organisation: options.organisation };
  const modules = [DeviceInventoryModule, PushRevocationsModule];
  const work: UserWork<void> = async (found, resolve) => {
    const inventory = resolve(DeviceInventoryRepository);
    const known = (await inventory.list(found.id)).map(({ id }) => id);
    const unknown = ids.find((id) => !known.includes(id));
    if (unknown !== undefined) {
      throw new CommandFailure(
        'unknown_device',
        `${found.fullName} has no device ${unknown}. \`carillon devices list ${found.id}\` lists the existing ones. Nothing was changed.`,
      );
    }
    const count = all === true ? known.length : ids.length;
    const what = counted(count, 'device');
    await confirm(context.terminal, options.yes === true, `Remove ${what} of ${found.fullName}?`);
    const choice = all === true ? ({ all: true } as const) : { ids };
    const removed = await recorded(resolve, async (transaction, record) => {
      const gone = await inventory.remove(found.id, choice, transaction);
      const details = { ids: gone };
      await record({ action: 'devices.remove', target: `user ${found.id}`, details });
      return gone;
    });
    await resolve(PushRevocations).revokeDevices(removed);
    printAnswer(context, options, removalAnswer(found, removed));
  };
  // While Redis is down no worker can be stopped; the removal must not wait for it.
  await withUserAndQueues(context, name, modules, work, { isNeeded: false });
}
