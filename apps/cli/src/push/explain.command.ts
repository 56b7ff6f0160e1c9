import type { Command } from 'commander';
import { withUser } from '../accounts/named-user.js';
import { wrongUse } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand, organisationOption, parseMessageId } from '../leaf-command.js';
import { explanationAnswer } from './explain.answer.js';

interface ExplainOptions extends CommonOptions {
  readonly message?: number;
  readonly user?: string;
  readonly organisation?: string;
}

/** `carillon push explain` */
export function addExplainCommand(push: Command, context: CommandContext): void {
  leafCommand(push, {
    usage: 'explain',
    description: 'explain why a user was, or was not, notified of a message',
    remarks:
      'Shows the outcome of the notification, or the rule that prevented it. The rules are applied to the\npresent settings, phones and activity: a change since the message can mislead.',
    examples: [
      [
        'push explain --message 1234 --user ada@example.org',
        'one message and one of its recipients',
      ],
    ],
  })
    .option('--message <id>', 'the id of a message', parseMessageId)
    .option('--user <user>', 'a recipient, by id or email address')
    .option(...organisationOption)
    .action((options: ExplainOptions) => explainMessage(context, options));
}

async function explainMessage(context: CommandContext, options: ExplainOptions): Promise<void> {
  const { message, user, organisation } = options;
  if (message === undefined || user === undefined) {
    throw wrongUse('Say which message and which recipient: --message and --user.');
  }
  const { PushLedgerModule, PushLedgerService } = await import('#push/admin');
  await withUser(context, { user, organisation }, [PushLedgerModule], async (account, resolve) => {
    const explanation = await resolve(PushLedgerService).explain(message, account.id);
    printAnswer(context, options, explanationAnswer(message, account, explanation));
  });
}
