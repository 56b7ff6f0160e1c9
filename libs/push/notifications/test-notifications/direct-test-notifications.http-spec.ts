import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { basicAuthorization } from '#test/api-client';
import { NotifiedPeople } from '#test/message-notifications-world';
import type { Person } from '#test/organisation';
import { RawConnection } from '#test/raw-connection';
import { useGateway } from '#test/start-gateway';
import { untilDirect } from '#test/until-direct';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
let person: Person;

beforeEach(async () => {
  person = await people.add();
  // Caches the sign-in.
  await person.api.get('/users/me');
});

/** Sends a request; a query, also an empty one, makes the framework answer. */
async function send(
  path: string,
  form: string,
  { query = '', ...more }: Readonly<Record<string, string>> = {},
) {
  const connection = await RawConnection.open(Number(new URL(system.gatewayUrl).port));
  const headers = {
    Host: person.host,
    Authorization: basicAuthorization(person),
    ...(form === '' ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    'Content-Length': form.length,
    Connection: 'close',
    ...more,
  };
  await connection.request(`POST /api/v1${path}${query}`, headers, form).closed();
  const [head = '', body = ''] = connection.received.split('\r\n\r\n', 2);
  const [status = '', ...lines] = head.split('\r\n');
  const names = lines.map((line) => line.split(': ', 1)[0]?.toLowerCase()).toSorted();
  // The framework writes the names of headers in lower case.
  return { isDirect: head.includes('X-Request-Id'), reply: { status, names, body } };
}

const kindsOf = async (one: Person) => (await people.of(one)).map(({ kind }) => kind);

const TEST = '/mobile_push/test_notification';

describe('A test notification', () => {
  it.each([
    ['to all phones', TEST, ''],
    ['to an unknown phone', TEST, 'token=unknown'],
    ['with an unknown parameter', TEST, 'colour=red'],
    ['to all client devices', '/mobile_push/e2ee/test_notification', ''],
    ['to an unknown client device', '/mobile_push/e2ee/test_notification', 'device_id=7'],
  ])('%s gets the same answer without the framework', async (_, path, form) => {
    const direct = await untilDirect(() => send(path, form));
    const usual = await send(path, form, { query: '?' });
    expect([direct.isDirect, usual.isDirect]).toEqual([true, false]);
    expect(direct.reply).toEqual(usual.reply);
  });

  it('is accepted once for each request', async () => {
    await send(TEST, '');
    await send(TEST, '', { query: '?' });
    expect(await kindsOf(person)).toEqual(['test', 'test']);
  });

  it('with an Idempotency-Key is answered by the framework, and sent once', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const replies = [await send(TEST, '', key), await send(TEST, '', key)];
    expect(replies.map(({ isDirect }) => isDirect)).toEqual([false, false]);
    expect(await kindsOf(person)).toEqual(['test']);
  });
});
