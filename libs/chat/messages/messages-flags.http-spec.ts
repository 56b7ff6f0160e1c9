import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest } from '#test/answers';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());
let sent: number[];

beforeEach(async () => {
  const channel = await mail.addChannel([sender, reader]);
  sent = [];
  while (sent.length < 3) {
    sent.push(Number((await sendToChannel(sender, channel)).body['id']));
  }
});

const flag = (who: Person, fields: object) => who.api.post('/messages/flags', { ...fields });
const has = async (person: Person, id: number | undefined) =>
  (await mail.received(id)).get(person.id);

describe('POST /messages/flags', () => {
  it.each(['messages', 'op', 'flag'])('requires %s', async (name) => {
    const { [name]: _, ...fields }: Record<string, unknown> = {
      messages: [],
      op: 'add',
      flag: 'read',
    };
    expect(await flag(reader, fields)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: name },
    });
  });

  it.each([
    ['text for numbers', { messages: ['1'] }, 'messages[0] is not an integer'],
    ['a number for a list', { messages: 1 }, 'messages is not a list'],
    ['a number beyond', { messages: [2 ** 53] }, 'messages[0] is too large'],
    [
      '10001 messages',
      { messages: Array.from({ length: 10_001 }, () => 1) },
      'messages is too large',
    ],
    ['another operation', { op: 'toggle' }, "Invalid message flag operation: 'toggle'"],
    ['an unknown flag', { flag: 'purple' }, "Invalid flag: 'purple'"],
    [
      'a flag that follows from the message',
      { flag: 'mentioned' },
      "Flag not editable: 'mentioned'",
    ],
    [
      'a flag that follows from when it was sent',
      { flag: 'historical' },
      "Flag not editable: 'historical'",
    ],
  ])('rejects %s', async (_what, fields, msg) => {
    const given = { messages: sent, op: 'add', flag: 'read', ...fields };
    expect(await flag(reader, given)).toMatchObject(badRequest(msg));
  });

  it.each([
    ['read', 'isRead'],
    ['starred', 'isStarred'],
    ['collapsed', 'isCollapsed'],
    ['hide_link_previews', 'hidesLinkPreviews'],
  ] as const)('adds and removes the flag %s', async (name, column) => {
    const [one, two, three] = sent;
    const messages = [two, one];
    const reply = await flag(reader, { messages, op: 'add', flag: name });
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      messages: [one, two],
      ignored_because_not_subscribed_channels: [],
    });
    expect(await has(reader, one)).toMatchObject({ [column]: true });
    expect(await has(reader, two)).toMatchObject({ [column]: true });
    expect(await has(reader, three)).toMatchObject({ [column]: false });
    expect(await has(sender, one)).toMatchObject({ isStarred: false });
    await flag(reader, { messages: [one], op: 'remove', flag: name });
    expect(await has(reader, one)).toMatchObject({ [column]: false });
    expect(await has(reader, two)).toMatchObject({ [column]: true });
  });

  it('ignores messages that the caller may not read', async () => {
    const elsewhere = await mail.addChannel([sender], { isPrivate: true });
    const { body } = await sendToChannel(sender, elsewhere);
    const messages = [body['id'], sent[0], -1, 0, 2_147_483_648, Number.MAX_SAFE_INTEGER];
    const reply = await flag(reader, { messages, op: 'add', flag: 'starred' });
    expect(reply.body).toMatchObject({ messages: [sent[0]] });
    expect((await mail.received(body['id'])).get(sender.id)).toMatchObject({ isStarred: false });
  });

  it('is idempotent, and accepts an empty list', async () => {
    const fields = { messages: sent, op: 'add', flag: 'read' };
    await flag(reader, fields);
    expect((await flag(reader, fields)).body).toMatchObject({ messages: sent });
    expect((await flag(reader, { ...fields, messages: [] })).body).toMatchObject({ messages: [] });
  });

  it('handles the same messages in different orders concurrently', async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        flag(reader, {
          messages: index % 2 === 0 ? sent : sent.toReversed(),
          op: index % 3 === 0 ? 'remove' : 'add',
          flag: index % 4 < 2 ? 'read' : 'starred',
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });
});
