import { beforeAll, describe, expect, it } from '@jest/globals';
import { endpointsOf } from '#platform/http';
import type { Reply } from '#test/http-request';
import { useGateway } from '#test/start-gateway';
import { commonEndpoints } from '../../apps/api-gateway/src/api-gateway.module.js';
import { faultsAmong } from './cost.fixture.js';
import { type LargestRequest, largestRequests } from './largest-answers.fixture.js';
import { type LargestState, makeLargestState } from './largest-state.fixture.js';

/** As CPU time, on a machine of the speed that `faultsAmong` expects; a slower one gets more. */
const LONGEST_HOLD_MS = 50;
/** Of endpoints that declare nothing else. */
const LARGEST_ANSWER_BYTES = 1_000_000;
const CONCURRENT = 6;
/**
 * What six concurrent requests add at most: a sixth of what they added when answers had no bound (728 MB). The aim is a tenth.
 * Half of it is the young generation, which grows to its largest size.
 */
const MOST_ADDED_BYTES = 120_000_000;

const system = useGateway({}, { isOptimised: true });
let state: LargestState;

beforeAll(async () => {
  state = await makeLargestState(system);
}, 600_000);

const boundOf = new Map(
  endpointsOf(commonEndpoints).map(({ method, path, largestAnswerBytes }) => [
    `${method} ${path}`,
    largestAnswerBytes ?? LARGEST_ANSWER_BYTES,
  ]),
);

async function send(endpoint: string, request: LargestRequest): Promise<Reply> {
  const { path, fields = {}, isByBot = false } = request;
  const [method, ownPath = ''] = endpoint.split(' ');
  const { api } = isByBot ? state.bot : state.person;
  const reply = await (method === 'GET'
    ? api.get(path ?? ownPath, fields)
    : api.post(path ?? ownPath, fields));
  if (reply.status !== 200) throw new Error(`${endpoint}: ${reply.status} ${reply.text}`);
  return reply;
}

const requests = Object.entries(largestRequests).flatMap(([endpoint, byName]) =>
  Object.entries(byName).map(([name, of]) => [endpoint, name, of] as const),
);

describe('The largest answer that one account can get', () => {
  it.each(requests)(
    'is bounded, and does not hold the event loop: %s, %s',
    async (endpoint, _name, of) => {
      const request = of(state);
      const { text } = await send(endpoint, request);
      const bytes = Buffer.byteLength(text);
      const bound = request.isOfOrganisation === true ? Infinity : boundOf.get(endpoint);
      expect(bytes).toBeLessThanOrEqual(bound ?? 0);
      const run = async () => {
        await system.costOf('api-gateway');
        await send(endpoint, request);
        return system.costOf('api-gateway');
      };
      const input = { name: `${bytes} bytes`, longestHoldMs: LONGEST_HOLD_MS, run };
      // Any CPU time: only the time for which others wait matters.
      expect(await faultsAmong([input], Infinity)).toEqual([]);
    },
  );

  it('takes little memory when several are requested at once', async () => {
    const largest = requests.filter(([, , of]) => of(state).isOfOrganisation !== true);
    const tooMuch: Record<string, string> = {};
    for (const [endpoint, name, of] of largest) {
      const once = () => send(endpoint, of(state));
      await once();
      await system.costOf('api-gateway');
      const { peakBytes: before } = await system.costOf('api-gateway');
      await Promise.all(Array.from({ length: CONCURRENT }, once));
      const { peakBytes } = await system.costOf('api-gateway');
      const added = peakBytes - before;
      if (added > MOST_ADDED_BYTES)
        tooMuch[`${endpoint}, ${name}`] = `${Math.round(added / 1_000_000)} MB`;
    }
    expect(tooMuch).toEqual({});
  }, 300_000);
});
