import type { Command } from 'commander';
import type { Realm } from '#platform/contracts';
import { realmUrl } from '#platform/core';
import { CommandFailure, wrongUse } from '../command-failure.js';
import {
  type Answer,
  type CommandWorld,
  type CommonOptions,
  printAnswer,
} from '../command-world.js';
import { leafCommand } from '../leaf-command.js';

interface CreationOptions extends CommonOptions {
  readonly name: string;
}

/** `carillon organisation …` */
export function addOrganisationCommands(program: Command, world: CommandWorld): void {
  const organisation = program.command('organisation').description('organisations: create');
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
    .action((subdomain: string, options: CreationOptions) => create(world, subdomain, options));
}

async function create(
  world: CommandWorld,
  subdomain: string,
  options: CreationOptions,
): Promise<void> {
  const { RealmsModule, RealmsService } = await import('#directory/realms');
  await world.stores.withDatabase([RealmsModule], async (resolve) => {
    const made = await resolve(RealmsService).create(subdomain, options.name);
    if (made === 'no subdomain') {
      throw wrongUse(
        `"${subdomain}" is no subdomain: letters a to z, digits and hyphens, 63 at most, and no hyphen at either end.`,
      );
    }
    if (made === 'no name') throw wrongUse('A name has 1 to 40 characters.');
    if (made === 'subdomain taken') {
      throw new CommandFailure('refused', `There is an organisation '${subdomain}' already.`);
    }
    printAnswer(world, options, createdAnswer(made, world.stores.connections.externalUrl));
  });
}

function createdAnswer({ id, subdomain, name }: Realm, externalUrl: string | null): Answer {
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
