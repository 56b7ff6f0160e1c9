import { Command, CommanderError } from 'commander';
import { VERSION } from '#platform/core';
import { addBotCommands, addUserCommands } from './accounts/account.commands.js';
import { CommandFailure, exitCodes } from './command-failure.js';
import { addAuditCommand } from './audit/audit.command.js';
import type { CommandContext } from './command-context.js';
import { addDeadLetterCommands } from './dead-letters/dead-letters.commands.js';
import { addDeviceCommands } from './devices/devices.commands.js';
import { addDoctorCommand } from './doctor/doctor.command.js';
import { addOrganisationCommands } from './organisations/organisation.commands.js';
import { jsonText } from './output/json.js';
import { addPushKeyCommands } from './push-keys/push-keys.commands.js';
import { addPushServiceCommands } from './push-service/push-service.commands.js';
import { addPushCommands } from './push/push.commands.js';
import { addQueueCommands } from './queues/queues.commands.js';
import { addServerCommands } from './servers/servers.commands.js';
import { explainFailure } from './stores/explain-failure.js';
import { Stores, type StoreSettings } from './stores/stores.js';
import type { Terminal } from './terminal.js';
import { addWebPushKeyCommands } from './web-push-keys/web-push-keys.commands.js';

const INTRODUCTION = `
Stores:
  On a server, set DATABASE_URL, REDIS_URL, EXTERNAL_URL and, to create accounts,
  API_KEY_SECRET, as for the gateway. Without DATABASE_URL and REDIS_URL the
  commands use the stores of \`npm start\` in this folder.

Exit codes: 0 done, 1 failed or (push status, doctor) a problem, 2 wrong use. With --json, errors are JSON too.

Examples:
  # is the installation in order?
  carillon doctor
  # are there problems with notifications?
  carillon push status
  # does a user's phone receive notifications?
  carillon push test ada@example.org --wait
  # what happened to the latest ones?
  carillon push history --user ada@example.org`;

/**
 * Runs one command line and resolves with the exit code: 0 for success, 1 for a failure, 2 for an invalid command line.
 * Never rejects.
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
        : explainFailure(thrown, () => stores.connections);
    report(terminal, failure, args.includes('--json'));
    return failure.exitCode;
  }
}

function programOf(context: CommandContext): Command {
  const program = new Command('carillon')
    .description(
      "commands for operators: check notifications, manage users' phones, create accounts",
    )
    .version(VERSION, '-V, --version', 'show the version')
    .addHelpText('after', INTRODUCTION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.print(text.trimEnd()),
      writeErr: (text) => context.terminal.note(text.trimEnd()),
      // The error is reported below, like every other failure.
      outputError: () => undefined,
    });
  addDoctorCommand(program, context);
  addDeviceCommands(program, context);
  addQueueCommands(program, context);
  addPushCommands(program, context);
  addPushKeyCommands(program, context);
  addPushServiceCommands(program, context);
  addWebPushKeyCommands(program, context);
  addServerCommands(program, context);
  addDeadLetterCommands(program, context);
  addOrganisationCommands(program, context);
  addUserCommands(program, context);
  addBotCommands(program, context);
  addAuditCommand(program, context);
  return program;
}

const HELP = new Set(['commander.help', 'commander.helpDisplayed', 'commander.version']);

const isHelp = ({ code }: CommanderError): boolean => HELP.has(code);

/** Requested help is a success; help because of a missing command is not. */
const helpExitCode = ({ exitCode }: CommanderError): number =>
  exitCode === 0 ? exitCodes.done : exitCodes.wrongUse;

const misspelt = ({ message }: CommanderError): CommandFailure =>
  new CommandFailure(
    'wrong_use',
    `${message.replace(/^error: /, '')}\nAdd --help to see the parameters of the command.`,
  );

function report(terminal: Terminal, { code, message }: CommandFailure, isJson: boolean): void {
  terminal.note(isJson ? jsonText({ error: { code, message } }) : message);
}
