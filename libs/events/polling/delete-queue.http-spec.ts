import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { EventClient, eventsOf } from '#test/event-client';
import { holdPollsOf } from '#test/held-polls';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const BAD_QUEUE = { code: 'BAD_EVENT_QUEUE_ID', result: 'error' };

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
let person: Person;

beforeEach(async () => {
  person = await organisation.addPerson();
});

describe('A queue', () => {
  it('is unknown to another account, and to everybody after its deletion', async () => {
    const client = await EventClient.register(person.api);
    const query = { queue_id: client.queueId, last_event_id: -1, dont_block: true };
    const other = await organisation.addPerson();
    const foreign = await other.api.get('/events', query);
    expect(foreign).toMatchObject({
      status: 400,
      body: {
        ...BAD_QUEUE,
        msg: `Bad event queue ID: ${client.queueId}`,
        queue_id: client.queueId,
      },
    });
    expect(await other.api.delete('/events', { queue_id: client.queueId })).toMatchObject({
      body: BAD_QUEUE,
    });
    expect(await person.api.delete('/events', { queue_id: client.queueId })).toMatchObject(success);
    expect(await person.api.get('/events', query)).toMatchObject({ body: BAD_QUEUE });
    expect(await person.api.delete('/events', { queue_id: client.queueId })).toMatchObject({
      body: BAD_QUEUE,
    });
  });

  it('is unknown with an id that is longer than any', async () => {
    const queueId = 'x'.repeat(101);
    const unknown = { status: 400, body: { ...BAD_QUEUE, queue_id: queueId } };
    const query = { queue_id: queueId, last_event_id: -1 };
    expect(await person.api.get('/events', query)).toMatchObject(unknown);
    expect(await person.api.delete('/events', { queue_id: queueId })).toMatchObject(unknown);
  });

  it('ends its held poll with an empty list when it is deleted', async () => {
    const client = await EventClient.register(person.api);
    const held = await holdPollsOf(system, () => client.poll());
    await person.api.delete('/events', { queue_id: client.queueId });
    expect(eventsOf(await held.answer)).toEqual([]);
  });
});
