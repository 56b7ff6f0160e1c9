import type { Command } from 'commander';
import { type UserOptions, withUser } from '../accounts/named-user.js';
import { type CommandContext, printAnswer } from '../command-context.js';
import { leafCommand, organisationOption } from '../leaf-command.js';
import { queuesAnswer } from './queues.answer.js';

/** `carillon queues …` */
export function addQueueCommands(program: Command, context: CommandContext): void {
  const queues = program.command('queues').description("a user's event queues: list");
  leafCommand(queues, {
    usage: 'list <user>',
    description: "list a user's event queues: one for each running client",
    remarks: 'The time of expiry is the latest possible one; polls move it.',
    examples: [
      ['queues list 42', 'the queues of the user with the id 42'],
      ['queues list ada@example.org -o acme', 'by email address, in the organisation acme'],
    ],
  })
    .option(...organisationOption)
    .action((user: string, options: UserOptions) => list(context, user, options));
}

async function list(context: CommandContext, user: string, options: UserOptions): Promise<void> {
  const { QueueInventoryModule, QueueInventoryRepository } = await import('#events/queues');
  const name = { user, organisation: options.organisation };
  await withUser(context, name, [QueueInventoryModule], async (found, resolve) => {
    const queues = await resolve(QueueInventoryRepository).list(found.id);
    printAnswer(context, options, queuesAnswer(found, queues));
  });
}
