import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { basicAuthorization } from '#test/api-client';
import { addOrganisation, type Person } from '#test/organisation';
import { PresenceGateway } from '#test/presence-gateway';
import { RawConnection } from '#test/raw-connection';
import { useGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';
import { untilDirect } from '#test/until-direct';
import { useFixture } from '#test/use-fixture';

/** A response as it was sent. */
interface RawReply {
  readonly status: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The framework writes the names of headers in lower case. */
  readonly isDirect: boolean;
}

/** Sends one report with a form; a query, also an empty one, makes the framework answer. */
async function report(
  { gatewayUrl }: System,
  person: Person,
  form: string,
  { query = '', ...more }: Readonly<Record<string, string>> = {},
): Promise<RawReply> {
  const connection = await RawConnection.open(Number(new URL(gatewayUrl).port));
  const headers = {
    Host: person.host,
    Authorization: basicAuthorization(person),
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': form.length,
    Connection: 'close',
    ...more,
  };
  await connection.request(`POST /api/v1/users/me/presence${query}`, headers, form).closed();
  const [head = '', body = ''] = connection.received.split('\r\n\r\n', 2);
  const [status = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line) => line.split(': ', 2) as [string, string]);
  const isDirect = head.includes('X-Request-Id');
  return {
    status,
    headers: new Map(pairs.map(([name, value]) => [name.toLowerCase(), value])),
    body,
    isDirect,
  };
}

/** Without the differences between any two requests. */
function comparable({ status, headers, body }: RawReply) {
  const own = new Set(['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']);
  const same = [...headers].filter(([name]) => !own.has(name)).toSorted();
  return {
    status,
    headers: same,
    names: [...headers.keys()].toSorted(),
    body: body
      .replaceAll(/"(server_timestamp|presence_last_update_id)":[\d.]+/g, '"$1":0')
      .replace(/"retry-after":[\d.]+/, ''),
  };
}

describe('A report', () => {
  const gateway = useFixture(() => PresenceGateway.start(1000));
  let person: Person;

  beforeAll(async () => {
    await gateway.bringPresence();
  });

  beforeEach(async () => {
    person = await (await addOrganisation(gateway.system)).addPerson();
    await person.api.post('/users/me/presence', { status: 'active' });
  });

  it.each([
    ['status=active', {}],
    ['status=idle&last_update_id=-1', {}],
    ['status=active&ping_only=true&new_user_input=false&history_limit_days=1', {}],
    ['status=idle&status=active&slim_presence=true', {}],
    ['status=active&last_update_id=-1&unknown=1&client=website', {}],
    ['status=active&last_update_id=-1', { 'Accept-Encoding': 'gzip' }],
    ['status=active&unknown=1', { 'Accept-Encoding': 'gzip' }],
    ['status=active', { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }],
  ])('has the same answer without the framework: %s %j', async (form, headers) => {
    const direct = await untilDirect(() => report(gateway.system, person, form, headers));
    const other = await report(gateway.system, person, form, { ...headers, query: '?' });
    expect([direct.isDirect, other.isDirect]).toEqual([true, false]);
    expect(direct.status).toBe('HTTP/1.1 200 OK');
    expect(comparable(direct)).toEqual(comparable(other));
    const [first, second] = [direct, other].map(({ headers: sent }) =>
      Number(sent.get('x-ratelimit-remaining')),
    );
    expect(second).toBe((first ?? 0) - 1);
  });

  it.each(['status=away', 'ping_only=true', 'status=active&last_update_id=no'])(
    'is charged once with invalid parameters: %s',
    async (form) => {
      const before = await report(gateway.system, person, 'status=active');
      const invalid = await report(gateway.system, person, form);
      expect(invalid).toMatchObject({ status: 'HTTP/1.1 400 Bad Request', isDirect: false });
      expect(Number(invalid.headers.get('x-ratelimit-remaining'))).toBe(
        Number(before.headers.get('x-ratelimit-remaining')) - 1,
      );
    },
  );

  it('keeps the request id', async () => {
    const given = { 'X-Request-Id': 'abc-1' };
    const { headers, isDirect } = await untilDirect(() =>
      report(gateway.system, person, 'status=active', given),
    );
    expect(isDirect).toBe(true);
    expect(headers.get('x-request-id')).toBe('abc-1');
  });

  it('is refused with a replaced key, also after reports with it', async () => {
    await person.api.post('/users/me/api_key/regenerate');
    const refused = await report(gateway.system, person, 'status=active');
    expect(refused).toMatchObject({ status: 'HTTP/1.1 401 Unauthorized', isDirect: false });
  });
});

describe('A report beyond the limit', () => {
  const system = useGateway({ RATE_LIMIT_USER: '60:3,3600:100' });
  let person: Person;

  beforeAll(async () => {
    person = await (await addOrganisation(system)).addPerson();
  });
  it('is refused with the answer of the framework', async () => {
    for (const query of ['', '', '?']) {
      const { status } = await report(system, person, 'status=active&ping_only=true', { query });
      expect(status).toBe('HTTP/1.1 200 OK');
    }
    const direct = await untilDirect(() => report(system, person, 'status=active'));
    const other = await report(system, person, 'status=active', { query: '?' });
    expect([direct.isDirect, other.isDirect]).toEqual([true, false]);
    expect(direct.status).toBe('HTTP/1.1 429 Too Many Requests');
    const [one, two] = [direct, other].map(comparable);
    const withoutTimes = (reply = one) => ({
      ...reply,
      headers: reply?.headers.filter(([name]) => !/retry-after|content-length/.test(name)),
    });
    expect(withoutTimes(one)).toEqual(withoutTimes(two));
    const [left, leftThen] = [direct, other].map(({ headers }) =>
      Number(headers.get('x-ratelimit-remaining')),
    );
    expect(left).toBeLessThanOrEqual(96);
    expect(leftThen).toBe((left ?? 0) - 1);
  });
});
