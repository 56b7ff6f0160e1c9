import { describe, expect, it } from '@jest/globals';
import { badRequest, idOf, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { Correspondence, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson({ fullName: 'Ada' }));
const bea = useFixture(() => mail.organisation.addPerson({ fullName: 'Bea' }));

const add = (who: Person, id: number, content: unknown) =>
  who.api.post('/submessage', {
    message_id: id,
    msg_type: 'widget',
    content: typeof content === 'string' ? content : JSON.stringify(content),
  });
const poll = async () => idOf(await sendToPeople(ada, [bea], '/poll Lunch?\nPizza\nSoup'));
const vote = { type: 'vote', key: 'canned,0', vote: 1 };

describe('A message with a widget', () => {
  it.each(['/poll Lunch?', '/todo Lunch'])('keeps its content: %s', async (content) => {
    const id = idOf(await sendToPeople(ada, [bea], content));
    expect(await ada.api.patch(`/messages/${id}`, { content: 'Dinner?' })).toMatchObject(
      badRequest('Widgets cannot be edited.'),
    );
  });
});

describe('POST /submessage', () => {
  it('adds data to the widget of a message, and sends an event to its readers', async () => {
    const client = await EventClient.register(bea.api);
    const id = await poll();
    const widget = {
      id: expect.any(Number),
      message_id: id,
      sender_id: ada.id,
      msg_type: 'widget',
      content: JSON.stringify({
        widget_type: 'poll',
        extra_data: { question: 'Lunch?', options: ['Pizza', 'Soup'] },
      }),
    };
    expect(await client.drain()).toMatchObject([
      { type: 'message', message: { id, submessages: [widget] } },
    ]);
    expect(await add(bea, id, vote)).toMatchObject(success);
    const content = JSON.stringify(vote);
    expect(await client.drain()).toEqual([
      {
        id: expect.any(Number),
        type: 'submessage',
        msg_type: 'widget',
        message_id: id,
        submessage_id: expect.any(Number),
        sender_id: bea.id,
        content,
      },
    ]);
    const { body } = await ada.api.get(`/messages/${id}`);
    expect(Object(body['message']).submessages).toEqual([
      widget,
      { ...widget, id: expect.any(Number), sender_id: bea.id, content },
    ]);
  });

  it('refuses what the widget does not take', async () => {
    const id = await poll();
    const plain = idOf(await sendToPeople(ada, [bea]));
    expect(await add(bea, plain, vote)).toMatchObject(
      badRequest('You cannot attach a submessage to this message.'),
    );
    expect(await add(bea, id, '{')).toMatchObject(badRequest('Invalid json for submessage'));
    expect(await add(bea, id, { type: 'strike' })).toMatchObject(
      badRequest('Unknown type for poll data: strike'),
    );
    expect(await add(bea, id, { ...vote, vote: 5 })).toMatchObject(badRequest('Invalid poll data'));
    const question = { type: 'question', question: 'Tea?' };
    expect(await add(bea, id, question)).toMatchObject(
      badRequest("You can't edit this unless you are the author."),
    );
    expect(await add(ada, id, question)).toMatchObject(success);
    const other = await mail.organisation.addPerson();
    expect(await add(other, id, vote)).toMatchObject(badRequest('Invalid message(s)'));
  });

  it('allows a limited amount of data', async () => {
    const id = await poll();
    await system.database.database.prisma.submessage.createMany({
      data: Array.from({ length: 998 }, () => ({
        messageId: id,
        senderId: ada.id,
        type: 'widget',
        content: '{}',
      })),
    });
    const answers = await Promise.all([add(ada, id, vote), add(bea, id, vote)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('allows a limited size of the data', async () => {
    const id = await poll();
    const option = { type: 'new_option', idx: 1, option: '' };
    const stored = { messageId: id, senderId: ada.id, type: 'widget', content: 'x'.repeat(2990) };
    await system.database.database.prisma.submessage.createMany({
      data: Array.from({ length: 100 }, () => stored),
    });
    const refusal = badRequest('The submessages of a message may have at most 300000 bytes.');
    expect(await add(ada, id, { ...option, option: 'y'.repeat(1000) })).toMatchObject({
      status: 400,
      body: { msg: refusal.body.msg, code: 'LIMIT_REACHED' },
    });
    expect(await add(ada, id, vote)).toMatchObject(success);
  });
});

describe('POST /messages/render', () => {
  it('renders Markdown as a message of the caller', async () => {
    const content = 'Hello *you* @**Bea**';
    const { body } = await ada.api.post('/messages/render', { content });
    const id = idOf(await sendToPeople(ada, [bea], content));
    const { message } = (await ada.api.get(`/messages/${id}`)).body;
    expect(body['rendered']).toBe(Object(message).content);
    expect(body['rendered']).toContain('user-mention');
  });
});
