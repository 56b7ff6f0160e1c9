import type { DirectoryAccount } from '#directory/users';
import type { Explanation } from '#push/admin';
import { userJson, userText } from '../accounts/named-user.js';
import type { Answer } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { notificationJson, notificationText } from './history.answer.js';

/** The output for the explanation of a message to an account. */
export const explanationAnswer = (
  messageId: number,
  account: DirectoryAccount,
  { reason, text, rules, notifications }: Explanation,
): Answer => ({
  json: {
    message_id: messageId,
    user: userJson(account),
    reason,
    text,
    rules: rules.map(({ rule, holds, detail }) => ({ rule, holds, detail })),
    notifications: notifications.map(notificationJson),
  },
  text: [
    `Message ${messageId} to ${userText(account)}`,
    text,
    ...(rules.length === 0 || notifications.length > 0
      ? []
      : ['', tableOf(['rule', 'holds', 'now'], rules.map(rowOf))]),
    ...notifications.flatMap((notification) => ['', notificationText(notification)]),
  ].join('\n'),
});

const rowOf = ({ rule, holds, detail }: Explanation['rules'][number]) =>
  [rule, holds ?? 'not known', detail] as const;
