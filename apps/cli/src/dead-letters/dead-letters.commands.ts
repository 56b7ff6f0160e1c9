import type { Command } from 'commander';
import { counted } from '#platform/core';
import type { DeadLetterChoice } from '#push/admin';
import { CommandFailure, wrongUse } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
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
export function addDeadLetterCommands(program: Command, context: CommandContext): void {
  const letters = program
    .command('dead-letters')
    .description(
      'notifications that a provider refused because of their message: list, retry, drop',
    );
  leafCommand(letters, {
    usage: 'list',
    description: 'list the count of each reason, and the newest dead letters',
    remarks: 'With --json each letter has its payload, with every text replaced by its length.',
    examples: [
      ['dead-letters list', 'all reasons, and the newest twenty'],
      ['dead-letters list --reason PayloadTooLarge --json', 'one reason, with payloads'],
    ],
  })
    .option('--reason <reason>', 'only this reason, in the spelling of the provider')
    .option(
      '--limit <count>',
      'how many to list, newest first',
      parseWholeNumber(1, MOST),
      DEFAULT_LIMIT,
    )
    .action((options: ListOptions) => list(context, options));
  withChoice(
    leafCommand(letters, {
      usage: 'requeue [ids...]',
      description: 'send them again, with a new set of attempts and a new time to live',
      remarks: 'An id is <notification>/<device>; <notification> alone selects all its devices.',
      examples: [
        ['dead-letters requeue 7f6c1c0e-6d7a-4a43-9a5e-0a1f1d6f2a11/7', 'one dead letter'],
        [
          'dead-letters requeue --reason BadTopic',
          'all with a reason, once the cause is corrected',
        ],
      ],
    }),
  ).action((ids: string[], options: ChoiceOptions) => requeue(context, ids, options));
  withChoice(
    leafCommand(letters, {
      usage: 'dismiss [ids...]',
      description: 'drop them without sending them again',
      examples: [
        ['dead-letters dismiss --reason PayloadTooLarge', 'all with a reason; asks first'],
        ['dead-letters dismiss --all --yes', 'all, without asking'],
      ],
    }),
  )
    .option('-y, --yes', 'do not ask')
    .action((ids: string[], options: ChoiceOptions) => dismiss(context, ids, options));
}

const withChoice = (command: Command): Command =>
  command.option('--reason <reason>', 'all with this reason').option('--all', 'all dead letters');

async function list(context: CommandContext, options: ListOptions): Promise<void> {
  const { PushLedgerModule, PushLedgerService } = await import('#push/admin');
  await context.stores.withDatabase([PushLedgerModule], async (resolve) => {
    const { reason, limit } = options;
    const ledger = resolve(PushLedgerService);
    const newest = await ledger.listDeadLetters({ reason, limit });
    const counts = await ledger.countDeadLetters();
    const shown = reason === undefined ? counts : counts.filter((one) => one.reason === reason);
    printAnswer(context, options, lettersAnswer(shown, newest));
  });
}

async function requeue(
  context: CommandContext,
  ids: readonly string[],
  options: ChoiceOptions,
): Promise<void> {
  const { PushOperatorModule, PushOperatorService } = await import('#push/admin');
  const choice = await choiceOf(ids, options);
  await context.stores.withQueues([PushOperatorModule.with()], async (resolve) => {
    const requeued = await resolve(PushOperatorService).requeueDeadLetters(choice);
    if (requeued === 0 && 'ids' in choice) throw noneFound();
    const text = `${counted(requeued, 'dead letter')} requeued.`;
    printAnswer(context, options, { json: { requeued }, text });
  });
}

async function dismiss(
  context: CommandContext,
  ids: readonly string[],
  options: ChoiceOptions,
): Promise<void> {
  const { PushLedgerModule, PushLedgerService } = await import('#push/admin');
  const choice = await choiceOf(ids, options);
  await confirm(context.terminal, options.yes === true, `Drop ${described(choice)} for good?`);
  await context.stores.withDatabase([PushLedgerModule], async (resolve) => {
    const dismissed = await resolve(PushLedgerService).dismissDeadLetters(choice);
    if (dismissed === 0 && 'ids' in choice) throw noneFound();
    printAnswer(context, options, {
      json: { dismissed },
      text: `${counted(dismissed, 'dead letter')} dropped.`,
    });
  });
}

/** Throws CommandFailure unless exactly one kind of selection is given. */
async function choiceOf(
  ids: readonly string[],
  { reason, all }: ChoiceOptions,
): Promise<DeadLetterChoice> {
  const { parseDeadLetterId } = await import('#push/admin');
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
  if ('ids' in choice) return counted(choice.ids.length, 'dead letter');
  return 'reason' in choice ? `all dead letters with ${choice.reason}` : 'all dead letters';
};

const noneFound = (): CommandFailure =>
  new CommandFailure(
    'not_found',
    'There is no such dead letter, or it cannot be sent again. `carillon dead-letters list` lists the existing ones.',
  );
