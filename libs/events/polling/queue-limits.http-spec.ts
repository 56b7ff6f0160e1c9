import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
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

describe('A queue', () => {
  it('gives way to the newest one beyond the cap of an account if it was unused for the longest time', async () => {
    const [polled, unused] = [
      await EventClient.register(person.api, { fetch_event_types: [] }),
      await EventClient.register(person.api, { fetch_event_types: [] }),
    ];
    for (let count = 2; count < 100; count += 1) {
      await EventClient.register(person.api, { fetch_event_types: [], idle_queue_timeout: 700 });
    }
    expect(await polled.poll({ dont_block: true })).toMatchObject(success);
    await EventClient.register(person.api, { fetch_event_types: [] });
    expect(await unused.poll({ dont_block: true })).toMatchObject({
      body: { code: 'BAD_EVENT_QUEUE_ID' },
    });
    expect(await polled.poll({ dont_block: true })).toMatchObject(success);
  });

  it('has a rate limit of its own for polls that wait, and one with the other queues of its account for those that do not', async () => {
    const client = await EventClient.register(person.api);
    const reply = await client.poll({ dont_block: true });
    expect(reply.headers['x-ratelimit-limit']).toBeUndefined();
    await eventually(async () => {
      const replies = await Promise.all(
        Array.from({ length: 100 }, () => client.poll({ dont_block: true })),
      );
      expect(replies.map(({ status }) => status)).toContain(429);
    });
    const other = await EventClient.register(person.api, {
      event_types: ['saved_snippets'],
    });
    expect((await other.poll({ dont_block: true })).status).toBe(429);
    const waiting = other.take();
    await saveSnippet(person, 'one');
    expect(titlesOf(await waiting)).toEqual(['one']);
    expect((await person.api.get('/saved_snippets')).status).toBe(200);
  });
});
