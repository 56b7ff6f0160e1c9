import type { Command } from 'commander';
import type { DeadLetterChoice } from '#push';
import { CommandFailure, wrongUse } from '../command-failure.js';
import { type CommandWorld, type CommonOptions, tell } from '../command-world.js';
import { leafCommand, parseWholeNumber } from '../leaf-command.js';
import { confirm } from '../output/confirm.js';
import { lettersAnswer } from './dead-letters.answer.js';

interface ListOptions extends CommonOptions {
  readonly reason?: string;
  readonly limit: number;
}

interface ChoiceOptions extends CommonOptions {
  readonly reason?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

const DEFAULT_LIMIT = 20;
const MOST = 1000;

/** `carillon dead-letters …` */
export function addDeadLetterCommands(program: Command, world: CommandWorld): void {
  const letters = program
    .command('dead-letters')
    .description('notifications that a provider refused for their message: see, send again, drop');
  leafCommand(letters, {
    usage: 'list',
    description: 'how many there are of each reason, and the newest of them',
    remarks:
      'With --json each letter has the payload that was sent, every text replaced by its length.',
    examples: [
      ['dead-letters list', 'all reasons, and the twenty newest'],
      ['dead-letters list --reason PayloadTooLarge --json', 'of one reason, with their payloads'],
    ],
  })
    .option('--reason <reason>', 'of one reason, as the provider spells it')
    .option(
      '--limit <count>',
      'how many, the newest first',
      parseWholeNumber(1, MOST),
      DEFAULT_LIMIT,
    )
    .action((options: ListOptions) => list(world, options));
  withChoice(
    leafCommand(letters, {
      usage: 'requeue [ids...]',
      description: 'send them again, with all attempts and a time to live that begins anew',
      remarks:
        'An id is the notification, a slash, the device; the notification alone means all its devices.',
      examples: [
        ['dead-letters requeue 7f6c1c0e-6d7a-4a43-9a5e-0a1f1d6f2a11/7', 'one of them'],
        [
          'dead-letters requeue --reason BadTopic',
          'all of a reason, once what was wrong is mended',
        ],
      ],
    }),
  ).action((ids: string[], options: ChoiceOptions) => requeue(world, ids, options));
  withChoice(
    leafCommand(letters, {
      usage: 'dismiss [ids...]',
      description: 'drop them: nobody will send them again',
      examples: [
        ['dead-letters dismiss --reason PayloadTooLarge', 'all of a reason; asks first'],
        ['dead-letters dismiss --all --yes', 'all there are, without being asked'],
      ],
    }),
  )
    .option('-y, --yes', 'do not ask')
    .action((ids: string[], options: ChoiceOptions) => dismiss(world, ids, options));
}

const withChoice = (command: Command): Command =>
  command.option('--reason <reason>', 'all of one reason').option('--all', 'all there are');

async function list(world: CommandWorld, options: ListOptions): Promise<void> {
  const { DeadLetters, LedgerOperatorModule } = await import('#push');
  await world.stores.withDatabase([LedgerOperatorModule], async (find) => {
    const { reason, limit } = options;
    const letters = find(DeadLetters);
    const newest = await letters.list({ limit, ...(reason !== undefined && { reason }) });
    const counts = await letters.countByReason();
    const shown = reason === undefined ? counts : counts.filter((one) => one.reason === reason);
    tell(world, options, lettersAnswer(shown, newest));
  });
}

async function requeue(
  world: CommandWorld,
  ids: readonly string[],
  options: ChoiceOptions,
): Promise<void> {
  const { PushOperatorModule, RequeueDeadLetters } = await import('#push');
  const choice = await choiceOf(ids, options);
  await world.stores.withQueues([PushOperatorModule.with()], async (find) => {
    const requeued = await find(RequeueDeadLetters).execute(choice);
    if (requeued === 0 && 'ids' in choice) throw noneFound();
    const text = `${counted(requeued)} on the way again.`;
    tell(world, options, { json: { requeued }, text });
  });
}

async function dismiss(
  world: CommandWorld,
  ids: readonly string[],
  options: ChoiceOptions,
): Promise<void> {
  const { DismissDeadLetters, LedgerOperatorModule } = await import('#push');
  const choice = await choiceOf(ids, options);
  await confirm(world.terminal, options.yes === true, `Drop ${described(choice)} for good?`);
  await world.stores.withDatabase([LedgerOperatorModule], async (find) => {
    const dismissed = await find(DismissDeadLetters).execute(choice);
    if (dismissed === 0 && 'ids' in choice) throw noneFound();
    tell(world, options, { json: { dismissed }, text: `${counted(dismissed)} dropped.` });
  });
}

/** Throws CommandFailure unless exactly one way to choose was used. */
async function choiceOf(
  ids: readonly string[],
  { reason, all }: ChoiceOptions,
): Promise<DeadLetterChoice> {
  const { parseDeadLetterId } = await import('#push');
  if ([ids.length > 0, reason !== undefined, all === true].filter(Boolean).length !== 1) {
    throw wrongUse(
      'Say which letters: their ids as `carillon dead-letters list` shows them, --reason or --all.',
    );
  }
  if (reason !== undefined) return { reason };
  if (all === true) return { all };
  return {
    ids: ids.map((id) => {
      const key = parseDeadLetterId(id);
      if (key === null) throw wrongUse(`"${id}" is no id of a dead letter.`);
      return key;
    }),
  };
}

const described = (choice: DeadLetterChoice): string => {
  if ('ids' in choice) return counted(choice.ids.length);
  return 'reason' in choice ? `all dead letters with ${choice.reason}` : 'all dead letters';
};

const counted = (count: number): string =>
  count === 1 ? '1 dead letter' : `${count} dead letters`;

const noneFound = (): CommandFailure =>
  new CommandFailure(
    'not_found',
    'There is no such dead letter, or it cannot be sent again. `carillon dead-letters list` shows those that there are.',
  );
