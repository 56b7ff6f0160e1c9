import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { DirectoryAccount } from '#directory/users';
import { counted } from '#platform/core';
import type { NotificationHistory, SentTest } from '#push/admin';
import { userJson, userText, withUserAndQueues } from '../accounts/named-user.js';
import { CommandFailure, wrongUse } from '../command-failure.js';
import {
  type Answer,
  type CommandContext,
  type CommonOptions,
  printAnswer,
} from '../command-context.js';
import { leafCommand, organisationOption, parseRowId, parseWholeNumber } from '../leaf-command.js';
import { durationText } from '../output/times.rules.js';
import type { Resolver } from '../stores/with-modules.js';
import { notificationJson, notificationText, statesText } from './history.answer.js';

interface TestOptions extends CommonOptions {
  readonly device?: number;
  readonly organisation?: string;
  readonly wait?: boolean;
  readonly timeout?: number;
}

const DEFAULT_WAIT_SECONDS = 30;
/** The time to live of a test notification. */
const MAX_SECONDS = 600;
const POLL_MS = 200;

/** `carillon push test` */
export function addTestCommand(push: Command, context: CommandContext): void {
  leafCommand(push, {
    usage: 'test <user>',
    description: "send a test notification to a user's phones",
    remarks:
      'With --wait the exit code is 0 only if every device was reached. Without it the command ends as\nsoon as the test is accepted.',
    examples: [
      ['push test ada@example.org --wait', 'all phones of a user, and show the results'],
      ['push test 42 --device 7 --wait --timeout 5', 'one device, five seconds at most'],
    ],
  })
    .option(...organisationOption)
    .option('-d, --device <id>', 'one device, as `carillon devices list` shows it', parseRowId)
    .option('-w, --wait', 'wait for the result on each device')
    .option(
      '--timeout <seconds>',
      `how long to wait at most (default: ${DEFAULT_WAIT_SECONDS})`,
      parseWholeNumber(1, MAX_SECONDS),
    )
    .action((user: string, options: TestOptions) => sendTest(context, user, options));
}

async function sendTest(
  context: CommandContext,
  user: string,
  options: TestOptions,
): Promise<void> {
  if (options.timeout !== undefined && options.wait !== true) {
    throw wrongUse('--timeout says how long to wait: use it with --wait.');
  }
  const { PushOperatorModule, PushOperatorService } = await import('#push/admin');
  const name = { user, organisation: options.organisation };
  await withUserAndQueues(context, name, [PushOperatorModule.with()], async (found, resolve) => {
    const sent = await resolve(PushOperatorService).sendTest(found.id, options.device);
    if (sent === null) throw noDevice(found, options.device);
    if (options.wait !== true) {
      printAnswer(context, options, acceptedAnswer(found, sent));
      return;
    }
    // With --json, the standard error also contains only JSON.
    if (options.json !== true)
      context.terminal.note(`${sentText(sent)}; waiting for the provider.`);
    const result = await watch(context, resolve, sent, options.timeout ?? DEFAULT_WAIT_SECONDS);
    printAnswer(context, options, resultAnswer(found, sent, result));
  });
}

function noDevice(user: DirectoryAccount, deviceId: number | undefined): CommandFailure {
  const what = deviceId === undefined ? 'no phone that can be reached' : `no device ${deviceId}`;
  return new CommandFailure(
    'no_device',
    `${user.fullName} has ${what}. \`carillon devices list ${user.id}\` lists the existing ones; a phone registers when its app signs in.`,
  );
}

const sentText = ({ deviceIds, notificationId }: SentTest): string =>
  `Sent to ${counted(deviceIds.length, 'device')} as ${notificationId}`;

/** Waits until the test has ended on every device, or until the timeout. */
async function watch(
  { terminal }: CommandContext,
  resolve: Resolver,
  { notificationId }: SentTest,
  seconds: number,
): Promise<NotificationHistory | undefined> {
  const { PushLedgerService } = await import('#push/admin');
  const beganAt = performance.now();
  for (;;) {
    const [found] = await resolve(PushLedgerService).findNotifications({ notificationId }, 1);
    const pending = found?.states.pending ?? 0;
    const tookMs = performance.now() - beganAt;
    if (pending === 0 || tookMs >= seconds * 1000) return found;
    terminal.show(`${found === undefined ? '' : statesText(found)}  ${durationText(tookMs)}`);
    await sleep(POLL_MS);
  }
}

const acceptedAnswer = (user: DirectoryAccount, sent: SentTest): Answer => ({
  json: {
    user: userJson(user),
    notification_id: sent.notificationId,
    devices: sent.deviceIds.length,
  },
  text: [
    `${userText(user)}: accepted for ${counted(sent.deviceIds.length, 'device')}.`,
    `Show the outcome: carillon push history --id ${sent.notificationId}`,
  ].join('\n'),
});

function resultAnswer(
  user: DirectoryAccount,
  { notificationId, deviceIds }: SentTest,
  result: NotificationHistory | undefined,
): Answer {
  const pending = result?.states.pending ?? 0;
  return {
    json: {
      user: userJson(user),
      notification_id: notificationId,
      devices: deviceIds.length,
      notification: result === undefined ? null : notificationJson(result),
    },
    text: [
      userText(user),
      ...(result === undefined ? [] : [notificationText(result)]),
      ...(pending === 0
        ? []
        : [
            `Still waiting for ${pending}: \`carillon push status\` shows whether a platform is paused, or no worker runs.`,
          ]),
    ].join('\n'),
    isFailure: result?.states.delivered !== deviceIds.length,
  };
}
