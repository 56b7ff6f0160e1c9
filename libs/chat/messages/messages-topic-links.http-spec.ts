import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const admin = useFixture(() => mail.organisation.addPerson({ role: roles.administrator }));

const topic = '#12 and https://a.test/x';
const links = [
  { text: '#12', url: 'https://issues.test/12' },
  { text: 'https://a.test/x', url: 'https://a.test/x' },
];

beforeAll(async () => {
  const linkifier = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://issues.test/{id}' };
  expect(await admin.api.post('/realm/filters', linkifier)).toMatchObject(success);
});

const listed = async (anchor: number) => {
  const query = { anchor, num_before: 0, num_after: 0 };
  const { body } = await admin.api.get('/messages', query);
  return (body['messages'] as object[])[0];
};
const fetched = async (id: number) => (await admin.api.get(`/messages/${id}`)).body['message'];

describe('The links of a topic', () => {
  it('are in the event of a message and in its answers', async () => {
    const channel = await mail.addChannel([admin]);
    const client = await EventClient.register(admin.api, { event_types: ['message'] });
    const id = Number((await sendToChannel(admin, channel, 'Hello', topic)).body['id']);
    const expected = { id, subject: topic, topic_links: links };
    expect(await client.drain()).toMatchObject([{ message: expected }]);
    expect(await listed(id)).toMatchObject(expected);
    expect(await fetched(id)).toMatchObject(expected);
  });

  it('are those of the new topic after a move', async () => {
    const channel = await mail.addChannel([admin]);
    const id = Number((await sendToChannel(admin, channel, 'Hello', 'lunch')).body['id']);
    expect(await fetched(id)).toMatchObject({ topic_links: [] });
    const client = await EventClient.register(admin.api, { event_types: ['update_message'] });
    expect(await admin.api.patch(`/messages/${id}`, { topic })).toMatchObject(success);
    expect(await client.drain()).toMatchObject([{ subject: topic, topic_links: links }]);
    expect(await listed(id)).toMatchObject({ topic_links: links });
  });

  it('are empty for a direct message', async () => {
    const id = Number((await sendToPeople(admin, [admin], topic)).body['id']);
    expect(await listed(id)).toMatchObject({ topic_links: [] });
  });
});
