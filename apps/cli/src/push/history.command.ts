import type { Command } from 'commander';
import type { NotificationQuery } from '#push/admin';
import { findUser } from '../accounts/named-user.js';
import { CommandFailure, wrongUse } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand, organisationOption, parseRowId, parseWholeNumber } from '../leaf-command.js';
import type { Resolver } from '../stores/with-modules.js';
import { historyAnswer } from './history.answer.js';

interface HistoryOptions extends CommonOptions {
  readonly id?: string;
  readonly user?: string;
  readonly device?: number;
  readonly fingerprint?: string;
  readonly organisation?: string;
  readonly limit: number;
}

const DEFAULT_LIMIT = 10;
const MOST = 100;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FINGERPRINT = /^[0-9a-f]{12}$/i;

/** `carillon push history` */
export function addHistoryCommand(push: Command, context: CommandContext): void {
  leafCommand(push, {
    usage: 'history',
    description: 'show the history of a notification, or of a user, a device or a token',
    remarks:
      'A fingerprint is the first 12 hexadecimal digits of the SHA-256 of a token, as in logs.\nThe history is kept for PUSH_HISTORY_DAYS, seven by default. Texts and tokens are never shown.',
    examples: [
      ['push history --id 7f6c1c0e-6d7a-4a43-9a5e-0a1f1d6f2a11', 'one notification'],
      ['push history --user ada@example.org --limit 3', 'the latest three of a user'],
      ['push history --fingerprint 9f86d081884c', 'the token of a log entry'],
    ],
  })
    .option('--id <notification>', 'the id of a notification')
    .option('--user <user>', 'a user, by id or email address')
    .option('--device <id>', 'the id of a device', parseRowId)
    .option('--fingerprint <digits>', 'the fingerprint of a token')
    .option(...organisationOption)
    .option(
      '--limit <count>',
      'how many to show, newest first',
      parseWholeNumber(1, MOST),
      DEFAULT_LIMIT,
    )
    .action((options: HistoryOptions) => showHistory(context, options));
}

async function showHistory(context: CommandContext, options: HistoryOptions): Promise<void> {
  const { id, user, device, fingerprint } = options;
  if ([id, user, device, fingerprint].filter((one) => one !== undefined).length !== 1) {
    throw wrongUse('Say what to look for: one of --id, --user, --device and --fingerprint.');
  }
  if (id !== undefined && !UUID.test(id)) {
    throw wrongUse(`"${id}" is no id of a notification: those are UUIDs.`);
  }
  if (fingerprint !== undefined && !FINGERPRINT.test(fingerprint)) {
    throw wrongUse(`"${fingerprint}" is no fingerprint: those are 12 hexadecimal digits.`);
  }
  const { PushLedgerModule, PushLedgerService } = await import('#push/admin');
  const { AccountDirectoryModule } = await import('#directory/users');
  const modules = [AccountDirectoryModule, PushLedgerModule];
  await context.stores.withDatabase(modules, async (resolve) => {
    const query = await queryOf(resolve, options);
    const found = await resolve(PushLedgerService).findNotifications(query, options.limit);
    if (id !== undefined && found.length === 0) {
      throw new CommandFailure(
        'not_found',
        `The ledger has no notification ${id}. Ended notifications are kept for PUSH_HISTORY_DAYS (seven by default).`,
      );
    }
    printAnswer(context, options, found.length === 0 ? nothing : historyAnswer(found));
  });
}

const nothing = {
  json: { notifications: [] },
  text: 'No notifications in the last PUSH_HISTORY_DAYS (seven by default).',
};

async function queryOf(resolve: Resolver, options: HistoryOptions): Promise<NotificationQuery> {
  const { id, user, device, fingerprint, organisation } = options;
  if (id !== undefined) return { notificationId: id };
  if (device !== undefined) return { deviceId: device };
  if (fingerprint !== undefined) return { fingerprint: fingerprint.toLowerCase() };
  return { userId: (await findUser(resolve, { user: user ?? '', organisation })).id };
}
