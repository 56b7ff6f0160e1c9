import type { Command } from 'commander';
import type { NewRealm } from '#directory/realms';
import { realmUrl } from '#platform/core';
import { CommandFailure, wrongUse } from '../command-failure.js';
import {
  type Answer,
  type CommandContext,
  type CommonOptions,
  printAnswer,
} from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import { recordDone, recorded } from '../stores/recorded.js';
import { realmNotFound } from './find-organisation.js';
import { addSettingCommand } from './setting.command.js';

interface CreationOptions extends CommonOptions {
  readonly name: string;
}

/** `carillon organisation …` */
export function addOrganisationCommands(program: Command, context: CommandContext): void {
  const organisation = program
    .command('organisation')
    .description('organisations: create, set, require-encryption');
  leafCommand(organisation, {
    usage: 'create <subdomain>',
    description: 'create an organisation at a subdomain of the external address',
    remarks: "The subdomain '' is the external address itself.",
    examples: [
      ['organisation create acme --name "Acme Corp"', 'reached at acme.chat.example.org'],
      [
        'user create ada@example.org -o acme --name "Ada Example" --role owner',
        'then its first owner',
      ],
    ],
  })
    .requiredOption('-n, --name <name>', 'its display name')
    .action((subdomain: string, options: CreationOptions) => create(context, subdomain, options));
  addSettingCommand(organisation, context);
  leafCommand(organisation, {
    usage: 'require-encryption <subdomain> <on|off>',
    description:
      'send notifications only to phones that get them encrypted, or to all phones again',
    remarks: 'Phones that are registered for plain text stay registered, and get nothing.',
    examples: [
      ['organisation require-encryption acme on', 'from now on, also for those that wait'],
    ],
  }).action((subdomain: string, setting: string, options: CommonOptions) =>
    requireEncryption(context, { subdomain, setting, options }),
  );
}

async function requireEncryption(
  context: CommandContext,
  {
    subdomain,
    setting,
    options,
  }: { readonly subdomain: string; readonly setting: string; readonly options: CommonOptions },
): Promise<void> {
  if (setting !== 'on' && setting !== 'off') throw wrongUse('Say on or off.');
  const { RealmsModule, RealmsService } = await import('#directory/realms');
  await context.stores.withDatabase([RealmsModule], async (resolve) => {
    const isRequired = setting === 'on';
    const realm = await recorded(resolve, async (transaction, record) => {
      const realms = resolve(RealmsService);
      const found = await realms.setEncryptedPushRequired(transaction, subdomain, isRequired);
      const action = 'organisation.require-encryption';
      if (found !== null) await record({ action, target: subdomain, details: { setting } });
      return found;
    });
    if (realm === null) throw realmNotFound(subdomain);
    printAnswer(context, options, {
      json: { id: realm.id, subdomain, requires_encrypted_push: isRequired },
      text: isRequired
        ? `${realm.name} notifies only phones that get notifications encrypted.`
        : `${realm.name} notifies all phones.`,
    });
  });
}

async function create(
  context: CommandContext,
  subdomain: string,
  options: CreationOptions,
): Promise<void> {
  const { RealmsModule, RealmsService } = await import('#directory/realms');
  await context.stores.withDatabase([RealmsModule], async (resolve) => {
    const made = await resolve(RealmsService).create(subdomain, options.name);
    if (made === 'invalid subdomain') {
      throw wrongUse(
        `"${subdomain}" is no subdomain: letters a to z, digits and hyphens, 63 at most, and no hyphen at either end.`,
      );
    }
    if (made === 'invalid name') throw wrongUse('A name has 1 to 40 characters.');
    if (made === 'subdomain taken') {
      throw new CommandFailure('refused', `There is an organisation '${subdomain}' already.`);
    }
    await recordDone(resolve, { action: 'organisation.create', target: subdomain });
    printAnswer(context, options, createdAnswer(made, context.stores.connections.externalUrl));
  });
}

function createdAnswer({ id, subdomain, name }: NewRealm, externalUrl: string | null): Answer {
  const url = externalUrl === null ? null : realmUrl(new URL(externalUrl), subdomain);
  const where = url === null ? '' : `, reached at ${url}`;
  return {
    json: { id, subdomain, name, url },
    text: [
      `${name} was created (id ${id})${where}. It has no users yet. Create its first owner:`,
      `  carillon user create <email> --organisation '${subdomain}' --name <name> --role owner`,
    ].join('\n'),
  };
}
