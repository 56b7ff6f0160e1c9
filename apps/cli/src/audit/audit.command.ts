import type { Command } from 'commander';
import type { RecordedAction } from '#platform/operator-actions';
import {
  type Answer,
  type CommandContext,
  type CommonOptions,
  printAnswer,
} from '../command-context.js';
import { leafCommand, parseWholeNumber } from '../leaf-command.js';
import type { Json } from '../output/json.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

interface AuditOptions extends CommonOptions {
  readonly limit: number;
}

const DEFAULT_LIMIT = 50;
const MOST = 10_000;

/** `carillon audit` */
export function addAuditCommand(program: Command, context: CommandContext): void {
  leafCommand(program, {
    usage: 'audit',
    description: 'list the changes that operators made on the ops page and the command line',
    examples: [
      ['audit', 'the newest fifty'],
      ['audit --limit 1000 --json', 'more of them, for a script'],
    ],
  })
    .option(
      '--limit <count>',
      'how many to list, newest first',
      parseWholeNumber(1, MOST),
      DEFAULT_LIMIT,
    )
    .action((options: AuditOptions) => list(context, options));
}

async function list(context: CommandContext, options: AuditOptions): Promise<void> {
  const { OperatorActions } = await import('#platform/operator-actions');
  await context.stores.withDatabase([], async (resolve) => {
    printAnswer(context, options, auditAnswer(await resolve(OperatorActions).list(options.limit)));
  });
}

const auditAnswer = (actions: readonly RecordedAction[]): Answer => ({
  json: {
    actions: actions.map(({ doneAt, actor, action, target, details }) => ({
      at: timeJson(doneAt),
      actor,
      action,
      target,
      // From a column of JSON.
      details: details as Record<string, Json>,
    })),
  },
  text:
    actions.length === 0
      ? 'No operator has changed anything.'
      : tableOf(
          ['when (UTC)', 'operator', 'change', 'of', 'details'],
          actions.map(({ doneAt, actor, action, target, details }) => [
            timeText(doneAt),
            actor,
            action,
            target,
            JSON.stringify(details),
          ]),
        ),
});
