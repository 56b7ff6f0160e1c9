import { getRequest } from '../load/form-request.js';
import type { Finding } from '../results.js';
import { type MessagesWorld, messagesWorldOf } from '../world/messages-world.js';
import { costOfRequest } from './messages-cost.js';
import type { Bench, Scenario } from './scenario.js';

const UNREAD = 5000;
const REQUESTS = 6;

type Terms = readonly (readonly [operator: string, operand: string | readonly number[]])[];
type Page = Readonly<Record<string, string | number>>;

const NEWEST: Page = { anchor: 'newest', num_before: 100, num_after: 0 };
const AFTER: Page = { num_before: 0, num_after: 100 };
const AROUND: Page = { num_before: 50, num_after: 50 };

/** A request of the reader for a page of a narrow, by default the newest 100 messages. */
export function narrowRequest(
  { host, reader }: MessagesWorld,
  terms: Terms,
  page: Page = NEWEST,
): string {
  const narrow = terms.map(([operator, operand]) => ({ operator, operand }));
  const parameters = { ...page, narrow: JSON.stringify(narrow) };
  const pairs = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return getRequest(host, `/messages?${pairs.join('&')}`, reader);
}

/** Requests for each kind of narrow and anchor; a sequential scan of the messages is a fault. */
export const messagesNarrows: Scenario = {
  name: 'messages.narrows',
  isLong: true,
  measure: async (bench) => {
    const world = await messagesWorldOf(bench);
    await bench.messages.markUnread(world.reader.userId, UNREAD);
    let scans = await scansSoFar(bench);
    const findings: Finding[] = [];
    for (const [kind, terms, page] of narrowsOf(world, bench)) {
      const work = { request: narrowRequest(world, terms, page), requests: REQUESTS };
      const finding = await costOfRequest(bench, `messages.narrows.${kind}`, work);
      const scansBefore = scans;
      scans = await scansSoFar(bench);
      findings.push(withScans(finding, scans - scansBefore));
    }
    return findings;
  },
};

async function scansSoFar({ database, messages }: Bench): Promise<number> {
  await database.settle(performance.now());
  return messages.sequentialScans();
}

const withScans = (finding: Finding, scans: number): Finding =>
  scans === 0
    ? finding
    : { ...finding, faults: [...finding.faults, `${scans} sequential scans of messages`] };

function narrowsOf(
  { reader, sender }: MessagesWorld,
  { messageCount }: Bench,
): readonly (readonly [kind: string, terms: Terms, page?: Page])[] {
  const channel = ['channel', 'general'] as const;
  const middle = Math.round(messageCount / 2);
  return [
    ['all', []],
    ['channel', [channel]],
    ['channel_oldest', [channel], { ...AFTER, anchor: 'oldest' }],
    ['channel_middle', [channel], { ...AROUND, anchor: middle }],
    ['channel_date', [channel], { ...AROUND, anchor: 'date', anchor_date: '2020-01-01T00:00:00Z' }],
    ['channel_first_unread', [channel], { ...AROUND, anchor: 'first_unread' }],
    ['first_unread', [], { ...AROUND, anchor: 'first_unread' }],
    ['topic', [channel, ['topic', 'topic 7']]],
    ['topic_middle', [channel, ['topic', 'topic 7']], { ...AROUND, anchor: middle }],
    ['sender', [['sender', sender.email]]],
    ['sender_in_channel', [channel, ['sender', sender.email]]],
    ['dm', [['dm', [sender.userId]]]],
    ['dm_self', [['dm', [reader.userId]]]],
    ['is_dm', [['is', 'dm']]],
    ['is_unread', [['is', 'unread']]],
    ['is_mentioned', [['is', 'mentioned']]],
    ['is_starred', [['is', 'starred']]],
    ['search_rare', [['search', 'word4999 word76']]],
    ['search_2000', [['search', 'word4998']]],
    ['search_130000', [['search', 'word75']]],
    ['search_all', [['search', 'meeting']]],
    ['search_in_channel', [channel, ['search', 'needle']]],
    ['search_in_topic', [channel, ['topic', 'topic 7'], ['search', 'word7']]],
    ['search_nothing', [['search', 'nowhere']]],
    ['search_with_frequent', [['search', 'needle meeting']]],
  ];
}
