import { Command, CommanderError } from 'commander';
import { VERSION } from '#core';
import { addBotCommands, addUserCommands } from './accounts/account.commands.js';
import { CommandFailure, exitCodes } from './command-failure.js';
import type { CommandWorld } from './command-world.js';
import { addDeadLetterCommands } from './dead-letters/dead-letters.commands.js';
import { addDeviceCommands } from './devices/devices.commands.js';
import { addOrganisationCommands } from './organisations/organisation.commands.js';
import { jsonText } from './output/json.js';
import { addPushCommands } from './push/push.commands.js';
import { explainFailure } from './stores/explain-failure.js';
import { Stores, type StoreSettings } from './stores/stores.js';
import type { Terminal } from './terminal.js';
import { addUsageCommand } from './usage/usage.command.js';

const INTRODUCTION = `
Where it works:
  On a server: DATABASE_URL, REDIS_URL, EXTERNAL_URL and, to create accounts,
  API_KEY_SECRET, all as for the gateway. Without DATABASE_URL and REDIS_URL:
  on what \`npm start\` runs in this folder.

Exit codes: 0 done, 1 failed or (push status) an alarm, 2 wrong use. With --json, failures are JSON as well.

Examples:
  # what is wrong with the pushes tonight?
  carillon push status
  # does this person's phone get any?
  carillon push test ada@example.org --wait
  # what happened to the last ones?
  carillon push history --user ada@example.org`;

/**
 * Runs one command line and resolves with the exit code: 0 when done, 1 when it failed, 2 when what was typed
 * cannot be meant. Never rejects.
 */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  settings: StoreSettings = {},
): Promise<number> {
  const stores = new Stores(settings);
  let exitCode: number = exitCodes.done;
  const fail = () => {
    exitCode = exitCodes.failed;
  };
  try {
    await programOf({ terminal, stores, fail }).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && isHelp(thrown)) return helpExitCode(thrown);
    const failure =
      thrown instanceof CommanderError
        ? misspelt(thrown)
        : explainFailure(thrown, () => stores.place);
    report(terminal, failure, args.includes('--json'));
    return failure.exitCode;
  }
}

function programOf(world: CommandWorld): Command {
  const program = new Command('carillon')
    .description("what an operator does: look at the pushes, help users' phones, create accounts")
    .version(VERSION, '-V, --version', 'the version of this program')
    .addHelpText('after', INTRODUCTION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.terminal.print(text.trimEnd()),
      writeErr: (text) => world.terminal.note(text.trimEnd()),
      // What was wrong is reported as every other failure is.
      outputError: () => undefined,
    });
  addDeviceCommands(program, world);
  addPushCommands(program, world);
  addDeadLetterCommands(program, world);
  addOrganisationCommands(program, world);
  addUserCommands(program, world);
  addBotCommands(program, world);
  addUsageCommand(program, world);
  return program;
}

const HELP = new Set(['commander.help', 'commander.helpDisplayed', 'commander.version']);

const isHelp = ({ code }: CommanderError): boolean => HELP.has(code);

/** Help that was asked for is an answer; help in place of a command is not. */
const helpExitCode = ({ exitCode }: CommanderError): number =>
  exitCode === 0 ? exitCodes.done : exitCodes.wrongUse;

const misspelt = ({ message }: CommanderError): CommandFailure =>
  new CommandFailure(
    'wrong_use',
    `${message.replace(/^error: /, '')}\nAdd --help to see what the command takes.`,
  );

function report(terminal: Terminal, { code, message }: CommandFailure, isJson: boolean): void {
  terminal.note(isJson ? jsonText({ error: { code, message } }) : message);
}
