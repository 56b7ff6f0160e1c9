import type { Command } from 'commander';
import { type CommandWorld, type CommonOptions, tell } from '../command-world.js';
import { leafCommand } from '../leaf-command.js';
import { statusAnswer } from './status.answer.js';

/** `carillon push status` */
export function addStatusCommand(push: Command, world: CommandWorld): void {
  leafCommand(push, {
    usage: 'status',
    description: 'queues, workers, breakers and alarms, and what came of the last five minutes',
    examples: [
      ['push status', 'what is wrong comes first'],
      ['push status --json | jq -e .is_healthy', 'for a check that runs by itself'],
    ],
  }).action((options: CommonOptions) => showStatus(world, options));
}

async function showStatus(world: CommandWorld, options: CommonOptions): Promise<void> {
  const { PushOverview, PushOverviewModule } = await import('#push');
  const { place, queuePrefix: prefix } = world.stores;
  const modules = [PushOverviewModule.with({ redisUrl: place.redisUrl, prefix })];
  await world.stores.withQueues(modules, async (find) => {
    tell(world, options, statusAnswer(await find(PushOverview).execute(), Date.now()));
  });
}
