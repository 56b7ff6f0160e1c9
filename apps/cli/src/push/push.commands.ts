import type { Command } from 'commander';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import { addExplainCommand } from './explain.command.js';
import { addHistoryCommand } from './history.command.js';
import { addPauseCommands } from './pause.commands.js';
import { statusAnswer } from './status.answer.js';
import { addTestCommand } from './test.command.js';
import type { Resolver } from '../stores/with-modules.js';

/** `carillon push …` */
export function addPushCommands(program: Command, context: CommandContext): void {
  const push = program
    .command('push')
    .description('notifications to phones: status, test, history, explain, pause');
  addStatusCommand(push, context);
  addTestCommand(push, context);
  addHistoryCommand(push, context);
  addExplainCommand(push, context);
  addPauseCommands(push, context);
}

/** `carillon push status` */
function addStatusCommand(push: Command, context: CommandContext): void {
  leafCommand(push, {
    usage: 'status',
    description: 'show alerts with advice, queues, workers, credentials and the latest outcomes',
    remarks:
      'Alerts come first. Those with ! are alarms and keep notifications from phones; those with - do not.\nThe exit code is 1 if there is an alarm, for example while a store is down.',
    examples: [
      ['push status', 'the alerts of the ops page'],
      ['push status > /dev/null || page-somebody', 'for an automatic check'],
    ],
  }).action((options: CommonOptions) => showStatus(context, options));
}

async function showStatus(context: CommandContext, options: CommonOptions): Promise<void> {
  const { PipelineStatusModule, PipelineStatusService } = await import('#push/admin');
  const show = async (resolve: Resolver) =>
    printAnswer(context, options, statusAnswer(await resolve(PipelineStatusService).read()));
  await context.stores.withQueues([PipelineStatusModule], show, { isNeeded: false });
}
