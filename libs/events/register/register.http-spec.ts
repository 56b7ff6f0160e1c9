import { describe, expect, it } from '@jest/globals';
import { basicAuthorization, encodeForm } from '#test/api-client';
import { badRequest } from '#test/answers';
import { EventClient, eventsOf } from '#test/event-client';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const person = useFixture(() => organisation.addPerson());

describe('POST /register', () => {
  /** `fetch` undoes the compression that the response names. */
  const registerWith = (acceptEncoding: string, fields: Readonly<Record<string, unknown>> = {}) =>
    fetch(`${system.gatewayUrl}/api/v1/register`, {
      method: 'POST',
      headers: {
        authorization: basicAuthorization(system.user('alice')),
        'accept-encoding': acceptEncoding,
      },
      body: new URLSearchParams(encodeForm(fields)),
    });

  it.each([
    ['gzip', 'gzip'],
    ['gzip, br', 'gzip'],
    ['br', null],
    ['identity', null],
  ])('answers Accept-Encoding %s in %s', async (acceptEncoding, encoding) => {
    const response = await registerWith(acceptEncoding);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.json()).toMatchObject({
      result: 'success',
      queue_id: expect.any(String),
      realm_users: expect.arrayContaining([
        expect.objectContaining({ email: system.user('alice').email }),
      ]),
    });
  });

  it('does not compress a small answer', async () => {
    const response = await registerWith('gzip', { fetch_event_types: [] });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.json()).toMatchObject({ result: 'success' });
  });

  it.each(['604801', '1180591620717411303424'])(
    'caps the lifetime of %s seconds at a week',
    async (given) => {
      const fields = { fetch_event_types: [], idle_queue_timeout: given };
      expect(await person.api.post('/register', fields)).toMatchObject({
        status: 200,
        body: { idle_queue_timeout_secs: 604_800 },
      });
    },
  );

  it('filters messages by operators without regard to case', async () => {
    const other = await organisation.addPerson();
    const client = await EventClient.register(person.api, {
      event_types: ['message'],
      narrow: [
        ['IS', 'dm'],
        ['Sender', other.email],
      ],
    });
    for (const sender of [person, other]) {
      await sender.api.post('/messages', { type: 'direct', to: [person.id], content: 'hello' });
    }
    expect(eventsOf(await client.poll({ dont_block: true }))).toMatchObject([
      { type: 'message', message: { sender_id: other.id } },
    ]);
  });

  it('rejects other operators', async () => {
    expect(await person.api.post('/register', { narrow: [['search', 'x']] })).toMatchObject(
      badRequest('Operator search not supported.'),
    );
  });
});
