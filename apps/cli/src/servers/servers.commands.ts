import type { Command } from 'commander';
import type { ServerOperationsRepository, ServerOverview, StopChange } from '#push/tenants';
import { CommandFailure, wrongUse } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand, parseTime, parseWholeNumber } from '../leaf-command.js';
import { timeText } from '../output/times.rules.js';
import { doneAnswer, serverAnswer, serversAnswer } from './servers.answer.js';

const MAX_LISTED = 10_000;
const MAX_CALLS = 10_000_000;
const MAX_DEVICES = 100_000_000;

interface LimitOptions extends CommonOptions {
  readonly requests?: number;
  readonly pushes?: number;
  readonly devices?: number;
  readonly default?: boolean;
}

interface StopOptions extends CommonOptions {
  readonly reason?: string;
  readonly at?: Date;
  readonly realm?: boolean;
}

/** `carillon servers …` */
export function addServerCommands(program: Command, context: CommandContext): void {
  const servers = program
    .command('servers')
    .description('servers that notify through this push service: list, show, limit, stop, start');
  leafCommand(servers, {
    usage: 'list',
    description: 'list the servers',
    examples: [['servers list', 'all servers, with the number of their phones']],
  }).action((options: CommonOptions) =>
    withServers(context, async (operations) => {
      printAnswer(context, options, serversAnswer(await operations.list(MAX_LISTED)));
    }),
  );
  leafCommand(servers, {
    usage: 'show <server>',
    description: 'show a server, its organisations, and the outcome of its notifications',
    examples: [['servers show chat.example.org', 'by its host or its id']],
  }).action((name: string, options: CommonOptions) => show(context, name, options));
  leafCommand(servers, {
    usage: 'limit <server>',
    description: 'give a server other limits than the configured ones',
    examples: [
      ['servers limit chat.example.org --requests 5000 --pushes 10000', 'two of the limits'],
      ['servers limit chat.example.org --default', 'the configured limits again'],
    ],
  })
    .option('--requests <number>', 'requests a minute', parseWholeNumber(1, MAX_CALLS))
    .option('--pushes <number>', 'devices to notify in a second', parseWholeNumber(1, MAX_CALLS))
    .option('--devices <number>', 'phones that it may register', parseWholeNumber(1, MAX_DEVICES))
    .option('--default', 'remove all limits')
    .action((name: string, options: LimitOptions) => limit(context, name, options));
  leafCommand(servers, {
    usage: 'stop <server>',
    description:
      'refuse the notifications of a server or an organisation, now or from some time on',
    remarks: 'Registrations of phones go on. The server gets the reason, and the time in advance.',
    examples: [
      ['servers stop chat.example.org --reason "Too many complaints."', 'at once'],
      ['servers stop chat.example.org --at 2027-01-01T00:00:00Z', 'from a time on'],
      ['servers stop 6f9619ff-8b86-4011-b42d-00cf4fc964ff --realm', 'one organisation'],
    ],
  })
    .option('--reason <text>', 'the reason in the response to the server')
    .option('--at <time>', 'from then on: a day or a time in ISO 8601', parseTime)
    .option('--realm', 'the name is the UUID of an organisation')
    .action((name: string, options: StopOptions) => stop(context, name, options));
  leafCommand(servers, {
    usage: 'start <server>',
    description: 'accept the notifications of a stopped server or organisation again',
    examples: [['servers start chat.example.org', 'ends the stop']],
  })
    .option('--realm', 'the name is the UUID of an organisation')
    .action((name: string, options: StopOptions) => start(context, name, options));
}

async function withServers(
  context: CommandContext,
  work: (operations: ServerOperationsRepository) => Promise<void>,
): Promise<void> {
  const { ServerOperationsModule, ServerOperationsRepository: Operations } =
    await import('#push/tenants');
  await context.stores.withDatabase([ServerOperationsModule], (resolve) =>
    work(resolve(Operations)),
  );
}

async function requireServer(
  operations: ServerOperationsRepository,
  name: string,
): Promise<ServerOverview> {
  const server = await operations.find(name);
  if (server !== null) return server;
  throw notFound(name, 'server');
}

const notFound = (name: string, what: string): CommandFailure =>
  new CommandFailure(
    'not_found',
    `There is no ${what} ${name}. \`carillon servers list\` lists the servers.`,
  );

const show = (context: CommandContext, name: string, options: CommonOptions) =>
  withServers(context, async (operations) => {
    const server = await requireServer(operations, name);
    const realms = await operations.realmsOf(server);
    const counts = await operations.countsOf(server);
    printAnswer(context, options, serverAnswer(server, realms, counts));
  });

const limit = (context: CommandContext, name: string, options: LimitOptions) =>
  withServers(context, async (operations) => {
    const { requests, pushes, devices, default: isDefault = false } = options;
    const isGiven = [requests, pushes, devices].some((given) => given !== undefined);
    if (isDefault === isGiven) {
      throw wrongUse('Give one or more of --requests, --pushes and --devices; or --default.');
    }
    const server = await requireServer(operations, name);
    await operations.setLimits(server, {
      requestLimit: isDefault ? null : (requests ?? server.requestLimit),
      pushLimit: isDefault ? null : (pushes ?? server.pushLimit),
      deviceLimit: isDefault ? null : (devices ?? server.deviceLimit),
    });
    printAnswer(context, options, doneAnswer(server.hostname, 'the limits are set'));
  });

const stop = (context: CommandContext, name: string, options: StopOptions): Promise<void> => {
  const { reason = null, at: from = 'now' } = options;
  return setStop(context, name, options, { from, reason });
};

const start = (context: CommandContext, name: string, options: StopOptions): Promise<void> =>
  setStop(context, name, options, { from: null, reason: null });

async function setStop(
  context: CommandContext,
  name: string,
  options: StopOptions,
  wanted: StopChange,
): Promise<void> {
  const {
    ServerOperationsRepository: Operations,
    ServerOperationsService,
    ServerStopsModule,
  } = await import('#push/tenants');
  // While Redis is down no worker is sending, and the stop must not wait for it.
  const queues = { isNeeded: false };
  await context.stores.withQueues(
    [ServerStopsModule],
    async (resolve) => {
      const service = resolve(ServerOperationsService);
      if (options.realm === true) {
        if (!(await service.stopRealm(name, wanted))) throw notFound(name, 'organisation');
      } else {
        await service.stop(await requireServer(resolve(Operations), name), wanted);
      }
      printAnswer(context, options, doneAnswer(name, stopText(wanted)));
    },
    queues,
  );
}

function stopText({ from }: StopChange): string {
  if (from === null) return 'may notify again';
  return from === 'now' ? 'is stopped' : `is stopped from ${timeText(from)} (UTC) on`;
}
