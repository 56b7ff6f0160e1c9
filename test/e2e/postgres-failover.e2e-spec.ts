import { describe, expect, it, jest } from '@jest/globals';
import { ConfirmedWork } from '#test/confirmed-work';
import { eventually } from '#test/eventually';
import { sendRequest } from '#test/http-request';
import { PostgresPair } from '#test/postgres-pair';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';

jest.setTimeout(240_000);

const PAIRS = 3;
const BEFORE = 60;
const AFTER = 60;
/** A gateway answers 503 to requests while there is no primary, and nothing else. */
const UNAVAILABLE = /^(?:message|presence|profile): 503 /;

const pair = useFixture(() => PostgresPair.start());
const system = useSystem(() => ({
  database: pair.open(),
  environment: { RATE_LIMIT_USER: '60:1000000', PUSH_TEST_WAIT_MS: '0' },
}));

const readiness = async () => (await sendRequest(`${system.gatewayUrl}/health/ready`)).status;

describe('A PostgreSQL primary that crashes, with a synchronous standby', () => {
  it('is replaced by the promoted standby, without the loss of a confirmed message', async () => {
    const work = await ConfirmedWork.prepare(system, PAIRS);
    work.begin();
    await work.untilMore(BEFORE);
    expect(work.failures).toEqual([]);
    const crashedAt = performance.now();
    await pair.crashPrimary();
    await eventually(async () => expect(await readiness()).toBe(503));
    await pair.promote();
    await work.untilMore(1);
    const awayMs = Math.round(performance.now() - crashedAt);
    await eventually(async () => expect(await readiness()).toBe(200));
    await work.untilMore(AFTER);
    await work.end();
    const result = await work.result();
    process.stderr.write(
      `failover: ${result.confirmed} messages, ${work.failures.length} failures, ` +
        `${awayMs} ms until the next confirmed message, ${result.shownTwice} shown twice\n`,
    );
    expect(result).toMatchObject({ lost: [], twice: [] });
    expect(work.failures.filter((failure) => !UNAVAILABLE.test(failure))).toEqual([]);
  });
});
