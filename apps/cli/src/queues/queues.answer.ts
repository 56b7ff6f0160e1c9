import type { DirectoryAccount } from '#directory/users';
import type { QueueOverview } from '#events/queues';
import { counted } from '#platform/core';
import { userJson, userText } from '../accounts/named-user.js';
import type { Answer } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

const queueJson = (queue: QueueOverview) => ({
  id: queue.id,
  registered_at: timeJson(queue.createdAt),
  expires_at: timeJson(queue.expiresAt),
  idle_seconds: queue.idleSeconds,
  event_types: queue.eventTypes === null ? null : [...queue.eventTypes],
  events_since: queue.eventsSince,
});

/** The event queues of a user. */
export const queuesAnswer = (user: DirectoryAccount, queues: readonly QueueOverview[]): Answer => ({
  json: { user: userJson(user), queues: queues.map(queueJson) },
  text: [
    `${userText(user)}: ${queues.length === 0 ? 'no event queues' : counted(queues.length, 'event queue')}`,
    ...(queues.length === 0 ? [] : [queueTable(queues)]),
  ].join('\n'),
});

const queueTable = (queues: readonly QueueOverview[]): string =>
  tableOf(
    ['id', 'registered (UTC)', 'expires (UTC)', 'idle seconds', 'types', 'events since'],
    queues.map((queue) => [
      queue.id,
      timeText(queue.createdAt),
      timeText(queue.expiresAt),
      queue.idleSeconds,
      queue.eventTypes === null ? 'all' : queue.eventTypes.join(' '),
      queue.eventsSince,
    ]),
  );
