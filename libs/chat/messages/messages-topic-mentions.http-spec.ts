import { describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { EventClient } from '#test/event-client';
import { NotifiedPeople } from '#test/message-notifications-world';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const writer = useFixture(() => mail.organisation.addPerson());
const reactor = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());

const react = (who: Person, id: number) =>
  who.api.post(`/messages/${id}/reactions`, { emoji_name: 'tada' });

/** A channel with a topic in which `writer` has written and to which `reactor` has reacted. */
async function addTopic() {
  const channel = await mail.addChannel([sender, writer, reactor, reader]);
  const id = idOf(await sendToChannel(writer, channel, 'Soup?', 'Lunch'));
  expect(await react(reactor, id)).toMatchObject(success);
  return channel;
}

const TOPIC_FLAGS = ['topic_wildcard_mentioned', 'wildcard_mentioned'];
const EVERYONE_FLAGS = ['stream_wildcard_mentioned', 'wildcard_mentioned'];

const flagsOf = async (who: Person, id: number) => {
  const message = (await who.api.get(`/messages/${id}`)).body['message'];
  return Object(message).flags as unknown;
};
const onlyMessages = { event_types: ['message', 'update_message'] };

describe('A mention of the topic', () => {
  it('gives the flags to the participants of the topic, without regard to its case', async () => {
    const channel = await addTopic();
    const id = idOf(await sendToChannel(sender, channel, 'Hear @**topic**', 'LUNCH'));
    const flags = await Promise.all(
      [writer, reactor, reader, sender].map((who) => flagsOf(who, id)),
    );
    expect(flags).toEqual([TOPIC_FLAGS, TOPIC_FLAGS, [], ['read', ...TOPIC_FLAGS]]);
  });

  it('does not reach participants of other topics, or those who have left the channel', async () => {
    const channel = await addTopic();
    await sendToChannel(reader, channel, 'Tea?', 'Tea');
    const { name } = channel;
    await writer.api.delete('/users/me/subscriptions', { subscriptions: [name] });
    const id = idOf(await sendToChannel(sender, channel, 'Hear @**topic**', 'Lunch'));
    expect((await mail.received(id)).has(writer.id)).toBe(false);
    expect(await flagsOf(reader, id)).toEqual([]);
  });

  it('is in the event and in the counts of unread messages, and is found', async () => {
    const channel = await addTopic();
    const client = await EventClient.register(writer.api, onlyMessages);
    const id = idOf(await sendToChannel(sender, channel, 'Hear @**topic**', 'Lunch'));
    expect(await client.drain()).toMatchObject([{ type: 'message', flags: TOPIC_FLAGS }]);
    const mentionsOf = async (who: Person) => {
      const { body } = await who.api.post('/register', {
        fetch_event_types: ['message', 'update_message_flags'],
      });
      return Object(body['unread_msgs']).mentions as unknown;
    };
    expect([await mentionsOf(writer), await mentionsOf(reader)]).toEqual([
      expect.arrayContaining([id]),
      expect.not.arrayContaining([id]),
    ]);
    const query = { anchor: id, num_before: 0, num_after: 0, narrow: [['is', 'mentioned']] };
    const found = async (who: Person) =>
      ((await who.api.get('/messages', query)).body['messages'] as unknown[]).length;
    expect([await found(writer), await found(reader)]).toEqual([1, 0]);
  });

  it('does not count in a muted topic', async () => {
    const channel = await addTopic();
    await writer.api.post('/user_topics', {
      stream_id: channel.id,
      topic: 'Lunch',
      visibility_policy: 1,
    });
    const id = idOf(await sendToChannel(sender, channel, 'Hear @**topic**', 'Lunch'));
    const { body } = await writer.api.post('/register');
    expect(Object(body['unread_msgs']).mentions).not.toContain(id);
  });

  it('counts as a mention of everyone in a message that mentions everyone too', async () => {
    const channel = await addTopic();
    const id = idOf(await sendToChannel(sender, channel, '@**all** @**topic**', 'Lunch'));
    const flags = await Promise.all([writer, reader].map((who) => flagsOf(who, id)));
    expect(flags).toEqual([EVERYONE_FLAGS, EVERYONE_FLAGS]);
  });

  it.each(['@_**topic**', '`@**topic**`', '> @**topic**'])(
    'mentions nobody in %j',
    async (text) => {
      const channel = await addTopic();
      const id = idOf(await sendToChannel(sender, channel, text, 'Lunch'));
      expect(await flagsOf(writer, id)).toEqual([]);
    },
  );

  it('is ignored in a direct message', async () => {
    await sendToPeople(reader, [sender]);
    const id = idOf(await sendToPeople(sender, [reader], 'Hear @**topic**'));
    expect(await flagsOf(reader, id)).toEqual([]);
  });

  it('takes the same number of statements for any number of participants', async () => {
    const channel = await addTopic();
    const plain = await countStatements(() => sendToChannel(sender, channel, 'Hi', 'Lunch'));
    const send = () => sendToChannel(sender, channel, '@**topic**', 'Lunch');
    await send();
    const withMention = await countStatements(send);
    await Promise.all([reader, writer].map((who) => sendToChannel(who, channel, 'Hi', 'Lunch')));
    expect(await countStatements(send)).toBe(withMention);
    // The names in the content are looked up as well, and so are the accounts that the sender sees.
    expect(withMention - plain).toBeLessThanOrEqual(3);
  });
});

describe('An edit with a mention of the topic', () => {
  const edit = (id: number, fields: object) => sender.api.patch(`/messages/${id}`, { ...fields });

  it('changes the flags of the participants', async () => {
    const channel = await addTopic();
    const id = idOf(await sendToChannel(sender, channel, 'Hear', 'Lunch'));
    const clients = [
      await EventClient.register(writer.api, onlyMessages),
      await EventClient.register(reader.api, onlyMessages),
    ];
    const flags = async () =>
      (await Promise.all(clients.map((client) => client.drain()))).map((events) =>
        events.map((event) => event['flags']),
      );
    await edit(id, { content: 'Hear @**topic**' });
    expect(await flags()).toEqual([[TOPIC_FLAGS], [[]]]);
    await edit(id, { content: 'Hear @**all**' });
    expect(await flags()).toEqual([[EVERYONE_FLAGS], [EVERYONE_FLAGS]]);
    await edit(id, { content: 'Hear @**topic**' });
    expect(await flags()).toEqual([[TOPIC_FLAGS], [[]]]);
    await edit(id, { content: 'Hear' });
    expect(await flags()).toEqual([[[]], [[]]]);
  });

  it('mentions the participants of the topic to which it moves the message', async () => {
    const channel = await addTopic();
    await sendToChannel(reader, channel, 'Tea?', 'Tea');
    const id = idOf(await sendToChannel(sender, channel, 'Hear', 'Lunch'));
    expect(await edit(id, { content: 'Hear @**topic**', topic: 'tea' })).toMatchObject(success);
    expect([await flagsOf(reader, id), await flagsOf(writer, id)]).toEqual([TOPIC_FLAGS, []]);
  });
});

describe('Notifications of a mention of the topic', () => {
  it('go to participants who want those of wildcard mentions, and are taken back', async () => {
    const people = await NotifiedPeople.in(system);
    const [author, wanting, unwilling, other] = [
      await people.add(),
      await people.add(),
      await people.add({ isPushedWildcards: false }),
      await people.add(),
    ];
    const channel = await people.mail.addChannel([author, wanting, unwilling, other]);
    for (const who of [wanting, unwilling]) await sendToChannel(who, channel, 'Hi');
    const id = idOf(await sendToChannel(author, channel, '@**topic** soup'));
    const triggers = () =>
      Promise.all([wanting, unwilling, other].map((who) => people.triggerOf(who, id)));
    expect(await triggers()).toEqual(['wildcard_mention', null, null]);
    await author.api.patch(`/messages/${id}`, { content: 'soup' });
    expect(await people.onScreenOf(wanting)).toEqual([]);
    await author.api.patch(`/messages/${id}`, { content: '@**topic** salad' });
    expect(await people.onScreenOf(wanting)).toEqual([id]);
  });
});
