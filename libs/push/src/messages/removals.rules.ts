import { groupBy } from '#core';
import type { ReadOnScreen } from '#messages';
import type { Removal } from './message-notification.repository.js';

/** What more would not fit into a payload in any case. */
const MOST_REMOVED = 200;

/** One removal for each account: the newest of its messages that have been read, in ascending order. */
export const removalsOf = (messages: readonly ReadOnScreen[]): Removal[] =>
  [...groupBy(messages, ({ userId }) => userId)].map(([userId, read]) => ({
    userId,
    content: { kind: 'remove', messageIds: newest(read.map(({ messageId }) => messageId)) },
  }));

const newest = (messageIds: readonly number[]): number[] =>
  messageIds.toSorted((one, other) => one - other).slice(-MOST_REMOVED);
