import type { Command } from 'commander';
import type { CommandWorld } from '../command-world.js';
import { addHistoryCommand } from './history.command.js';
import { addPauseCommands } from './pause.commands.js';
import { addStatusCommand } from './status.command.js';
import { addTestCommand } from './test.command.js';

/** `carillon push …` */
export function addPushCommands(program: Command, world: CommandWorld): void {
  const push = program
    .command('push')
    .description('the way to the phones: look at it, test it, hold it up');
  addStatusCommand(push, world);
  addTestCommand(push, world);
  addHistoryCommand(push, world);
  addPauseCommands(push, world);
}
