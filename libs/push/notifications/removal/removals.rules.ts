import type { ScreenRead } from '#chat/messages';
import { groupBy } from '#platform/core';
import { removalPages } from '#push/providers';
import type { Removal } from '../message-notification.repository.js';

/** The removals for each account, as many as its messages need, in ascending order of accounts. */
export const removalsOf = (messages: readonly ScreenRead[]): Removal[] =>
  [...groupBy(messages, ({ userId }) => userId)]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([userId, removed]) =>
      removalPages(removed.map(({ messageId }) => messageId)).map((messageIds) => ({
        userId,
        content: { kind: 'remove', messageIds },
      })),
    );
