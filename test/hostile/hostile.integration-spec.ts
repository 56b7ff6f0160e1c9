import { performance } from 'node:perf_hooks';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { operations } from '../performance/endpoint-operations.fixture.js';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { sendRequest } from '#test/http-request';
import { useGateway } from '#test/start-gateway';
import { exchange, type RawReply } from './hostile-connection.fixture.js';
import { actorNames, Crowd } from './hostile-crowd.fixture.js';
import { faultOf } from './hostile-judge.fixture.js';
import { HostileRequests } from './hostile-requests.fixture.js';

const REQUESTS = isLongRun ? 100_000 : 1500;
const AT_ONCE = 8;
/** Longer than the time that the gateway allows for the headers or the body of a request. */
const DEADLINE_MS = 12_000;
const LIVE_EVERY_MS = 20;
const UNAUTHORIZED = 401;
const MAX_FAULTS = 20;
const UNTIL_MS = isLongRun ? 3_600_000 : 120_000;

const system = useGateway({ HTTP_BODY_SECONDS: '2' });
let crowd: Crowd;

beforeAll(async () => {
  crowd = await Crowd.start(system);
});

/** The latencies of `/health/live` during some work, in ascending order and milliseconds. */
async function liveTimesDuring(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const end = new AbortController();
  const asking = (async () => {
    while (!end.signal.aborted) {
      const began = performance.now();
      await sendRequest(`${system.gatewayUrl}/health/live`);
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, LIVE_EVERY_MS));
    }
  })();
  try {
    await work();
  } finally {
    end.abort();
    await asking;
  }
  return times.toSorted((one, other) => one - other);
}

/** The counts of all requests, and the faults. */
interface Tally {
  sent: number;
  readonly statuses: Record<number, number>;
  readonly faults: string[];
}

/** Sends requests one after another. */
async function attack(
  random: SeededRandom,
  requests: HostileRequests,
  tally: Tally,
): Promise<void> {
  const port = Number(new URL(system.gatewayUrl).port);
  while (tally.sent < REQUESTS && tally.faults.length < MAX_FAULTS) {
    tally.sent += 1;
    const name = random.pick(actorNames);
    const request = requests.next(crowd.actor(name));
    let reply: RawReply | null = null;
    let fault: string | null;
    try {
      reply = await exchange(port, request.bytes, DEADLINE_MS);
      fault = faultOf(request, reply);
    } catch (error) {
      fault = String(error);
    }
    if (fault !== null) tally.faults.push(`${request.line}\n  ${fault}`);
    const status = reply?.status ?? 0;
    tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
    // Some endpoints deactivate the account or replace its key.
    if (request.isSignedIn && status === UNAUTHORIZED) await crowd.replace(name);
  }
}

describe(`${REQUESTS} invalid requests (--seed=${chaosSeed})`, () => {
  it(
    'are answered in the envelope, in time, and without a server error',
    async () => {
      const random = new SeededRandom(chaosSeed);
      const requests = new HostileRequests(random, operations());
      const tally: Tally = { sent: 0, statuses: {}, faults: [] };
      const times = await liveTimesDuring(() =>
        Promise.all(Array.from({ length: AT_ONCE }, () => attack(random, requests, tally))),
      );
      const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
      process.stderr.write(
        `${tally.sent} hostile requests: ${JSON.stringify(tally.statuses)}; /health/live took ` +
          `${at(0.5)} ms (p50), ${at(0.99)} ms (p99), ${Math.round(times.at(-1) ?? 0)} ms at most\n`,
      );
      expect(tally.faults).toEqual([]);
      // Without successes, no request would have passed the checks of parameters.
      expect(tally.statuses[200]).toBeGreaterThan(REQUESTS / 100);
      expect(at(0.99)).toBeLessThan(DEADLINE_MS);
    },
    UNTIL_MS,
  );
});
