import type { Command } from 'commander';
import { type CommandWorld, type CommonOptions, tell } from '../command-world.js';
import { leafCommand } from '../leaf-command.js';
import type { Finder } from '../stores/lend.js';
import { statusAnswer } from './status.answer.js';

/** `carillon push status` */
export function addStatusCommand(push: Command, world: CommandWorld): void {
  leafCommand(push, {
    usage: 'status',
    description: 'what is wrong and what to do; queues, workers, credentials, the last outcomes',
    remarks:
      'What is wrong comes first: with ! what keeps notifications from phones, with - what does not.\nThe exit code is 1 when there is anything with !, also when a store is away.',
    examples: [
      ['push status', 'the same that the ops page says'],
      ['push status > /dev/null || page-somebody', 'for a check that runs by itself'],
    ],
  }).action((options: CommonOptions) => showStatus(world, options));
}

async function showStatus(world: CommandWorld, options: CommonOptions): Promise<void> {
  const { LookAtPipeline, PushOverviewModule } = await import('#push');
  const { place, queuePrefix: prefix } = world.stores;
  const modules = [PushOverviewModule.with({ redisUrl: place.redisUrl, prefix })];
  const show = async (find: Finder) =>
    tell(world, options, statusAnswer(await find(LookAtPipeline).execute()));
  await world.stores.withQueues(modules, show, { isNeeded: false });
}
