import { FormRequest } from '../load/form-request.js';
import { messagesWorldOf } from '../world/messages-world.js';
import { costOfRequest } from './messages-cost.js';
import { narrowRequest } from './messages-narrows.js';
import type { Scenario } from './scenario.js';

const UNREAD = 5000;
const REQUESTS = 40;
const MARKS = 4;

export const messagesScenarios: readonly Scenario[] = [
  {
    name: 'messages.fetch',
    measure: async (bench) => {
      const request = narrowRequest(await messagesWorldOf(bench), [['channel', 'general']]);
      return costOfRequest(bench, 'messages.fetch', { request, requests: REQUESTS });
    },
  },
  {
    name: 'messages.search',
    measure: async (bench) => {
      const request = narrowRequest(await messagesWorldOf(bench), [['search', 'needle']]);
      return costOfRequest(bench, 'messages.search', { request, requests: REQUESTS });
    },
  },
  {
    name: 'messages.mark_channel_read',
    measure: async (bench) => {
      const { host, reader, channelId } = await messagesWorldOf(bench);
      const request = new FormRequest(host, '/mark_stream_as_read', reader);
      return costOfRequest(bench, 'messages.mark_channel_read', {
        request: request.with(`stream_id=${channelId}`),
        requests: MARKS,
        before: () => bench.messages.markUnread(reader.userId, UNREAD),
      });
    },
  },
];
