import { Agent, request } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { basicAuthorization, encodeForm } from '#test/api-client';
import { notSignedIn } from '#test/answers';
import { EventClient, eventsOf } from '#test/event-client';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { saveSnippet, titlesOf } from '#test/two-gateways';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
let person: Person;

beforeEach(async () => {
  person = await organisation.addPerson();
});

/** The status of a poll with the sign-in of a person over the connections of an agent. */
const statusOf = (agent: Agent, by: Person, { queueId, lastEventId }: EventClient) =>
  new Promise<number | undefined>((resolve, reject) => {
    const query = { queue_id: queueId, last_event_id: lastEventId, dont_block: true };
    const url = `${system.gatewayUrl}/api/v1/events?${encodeForm(query)}`;
    const headers = { authorization: basicAuthorization(by), host: by.host };
    request(url, { agent, headers }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming.statusCode));
    })
      .on('error', reject)
      .end();
  });

describe('The sign-in of polls', () => {
  it.each(['GET', 'DELETE'])('is required: %s', async (method) => {
    expect(await system.anonymous().send(method, '/events?queue_id=x')).toMatchObject(notSignedIn);
  });

  it('refuses a replaced key and another organisation, also after polls with the same sign-in', async () => {
    const client = await EventClient.register(person.api);
    expect(await client.poll({ dont_block: true })).toMatchObject({ status: 200 });
    const elsewhere = system.api({ ...person, host: (await addOrganisation(system)).host });
    const query = { queue_id: client.queueId, last_event_id: client.lastEventId, dont_block: true };
    expect(await elsewhere.get('/events', query)).toMatchObject(notSignedIn);
    expect(await client.poll({ dont_block: true })).toMatchObject({ status: 200 });
    await person.api.post('/users/me/api_key/regenerate');
    expect(await client.poll({ dont_block: true })).toMatchObject(notSignedIn);
  });

  it('acknowledges nothing for a replaced key', async () => {
    const client = await EventClient.register(person.api, {
      event_types: ['saved_snippets'],
    });
    await saveSnippet(person, 'one');
    const [event] = eventsOf(await client.poll());
    const { body } = await person.api.post('/users/me/api_key/regenerate');
    const acknowledgement = { last_event_id: event?.id ?? 0, dont_block: true };
    expect(await client.poll(acknowledgement)).toMatchObject(notSignedIn);
    const renewed = system.api({ ...person, api_key: String(body['api_key']) });
    const query = { queue_id: client.queueId, last_event_id: client.lastEventId };
    expect(titlesOf(eventsOf(await renewed.get('/events', query)))).toEqual(['one']);
  });

  it('tells apart the accounts that share a connection, and refuses their replaced keys', async () => {
    const other = await organisation.addPerson();
    const own = await EventClient.register(person.api);
    const others = await EventClient.register(other.api);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let round = 0; round < 3; round += 1) {
        expect(await statusOf(agent, person, own)).toBe(200);
        expect(await statusOf(agent, other, own)).toBe(400);
        expect(await statusOf(agent, other, others)).toBe(200);
      }
      await other.api.post('/users/me/api_key/regenerate');
      expect(await statusOf(agent, other, others)).toBe(401);
      expect(await statusOf(agent, person, own)).toBe(200);
      expect(await statusOf(agent, other, others)).toBe(401);
    } finally {
      agent.destroy();
    }
  });
});
