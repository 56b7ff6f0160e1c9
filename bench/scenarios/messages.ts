import { FormRequest, getRequest } from '../load/form-request.js';
import { HttpConnection } from '../load/http-connection.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { median } from '../measure/median.js';
import { percentile } from '../measure/percentile.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type Finding, resultOfTime } from '../results.js';
import { createRealm } from '../world/bench-world.js';
import type { Bench, Scenario } from './scenario.js';

const SENDERS = 50;
const UNREAD = 5000;
const ROUNDS = 5;
const REQUESTS = 40;
const MARKS = 4;
/** The most CPU time of the gateway for a request. */
const MAX_MS = 10;

interface MessagesWorld {
  readonly fetch: string;
  readonly search: string;
  readonly mark: string;
  readonly markUnread: () => Promise<void>;
}

type WorldOf = (bench: Bench) => Promise<MessagesWorld>;

/** The scenarios share one organisation. */
function onceOpened(): WorldOf {
  let opened: Promise<MessagesWorld> | undefined;
  return (bench) => (opened ??= openWorld(bench));
}

const worldOf = onceOpened();

export const messagesScenarios: readonly Scenario[] = [
  {
    name: 'messages.fetch',
    measure: async (bench) => {
      const { fetch } = await worldOf(bench);
      return measure(bench, 'messages.fetch', { request: fetch, requests: REQUESTS });
    },
  },
  {
    name: 'messages.search',
    measure: async (bench) => {
      const { search } = await worldOf(bench);
      return measure(bench, 'messages.search', { request: search, requests: REQUESTS });
    },
  },
  {
    name: 'messages.mark_channel_read',
    measure: async (bench) => {
      const { mark, markUnread } = await worldOf(bench);
      const work = { request: mark, requests: MARKS, before: markUnread };
      return measure(bench, 'messages.mark_channel_read', work);
    },
  },
];

async function openWorld({ progress, programs, world, messages }: Bench): Promise<MessagesWorld> {
  return progress.step(`messages: ${messages} messages of a channel`, async () => {
    await programs.start('api-gateway');
    const { id, host, users } = await createRealm(world, 'messages', SENDERS + 1);
    const [reader, ...senders] = users;
    if (reader === undefined) throw new Error('There are no users.');
    const channelId = await world.createChannel(id, 'general', [reader.userId]);
    const people = { readerId: reader.userId, senderIds: senders.map(({ userId }) => userId) };
    await world.createMessages({ realmId: id, channelId }, people, messages);
    const narrowed = (...terms: readonly (readonly [string, string])[]) => {
      const narrow = encodeURIComponent(JSON.stringify(terms));
      const path = `/messages?anchor=newest&num_before=100&num_after=0&narrow=${narrow}`;
      return getRequest(host, path, reader);
    };
    return {
      fetch: narrowed(['channel', 'general']),
      search: narrowed(['search', 'needle']),
      mark: new FormRequest(host, '/mark_stream_as_read', reader).with(`stream_id=${channelId}`),
      markUnread: () => world.markUnread(reader.userId, UNREAD),
    };
  });
}

interface Work {
  readonly request: string;
  readonly requests: number;
  /** Before each request, and not measured. */
  readonly before?: () => Promise<void>;
}

async function measure(
  { programs, database }: Bench,
  name: string,
  { request, requests, before }: Work,
): Promise<Finding> {
  const connection = await HttpConnection.open(programs.gatewayPort);
  const all = new CpuUsage({
    'api-gateway': cpuClock(programs.pidOf('api-gateway')),
    postgresql: () => database.cpuSeconds(),
  });
  const faults: string[] = [];
  const times: number[] = [];
  const cpuMs: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const own = new CpuUsage({ gateway: cpuClock(programs.pidOf('api-gateway')) });
    for (let count = 0; count < requests; count += 1) {
      await before?.();
      const startedAt = performance.now();
      const ask = () => own.during(() => connection.exchange(request));
      const { status, body } = await (round === 0 ? ask() : all.during(ask));
      if (round > 0) times.push(performance.now() - startedAt);
      if (status !== 200) faults.push(`answered ${status}: ${body}`);
    }
    // The first round warms up. The milliseconds of a request are the seconds of a thousand.
    if (round > 0) cpuMs.push(own.perThousand(requests)['gateway'] ?? 0);
  }
  connection.close();
  const measured = { name, value: median(cpuMs), unit: 'ms (CPU)', limit: MAX_MS, target: 1 };
  const text = `answered in ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`;
  const cpu_s_per_1000 = all.perThousand(requests * ROUNDS);
  return { result: resultOfTime({ ...measured, cpu_s_per_1000 }), notes: [text], faults };
}
