import { describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import type { Fields } from '#test/api-client';
import { commitTogether } from '#test/commit-together';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());
const third = useFixture(() => mail.organisation.addPerson({ fullName: 'Third Person' }));
const recorded = useFixture(async () => new RecordedEvents(system, mail.organisation));

const flag = (person: Person, messages: readonly number[], op: string, name: string) =>
  person.api.post('/messages/flags', { messages, op, flag: name });
const changed = (op: string, name: string, messages: readonly number[], more = {}) => ({
  type: 'update_message_flags',
  body: { op, operation: op, flag: name, messages, all: false, ...more },
  audience: { userIds: [reader.id] },
});

describe('The event of changed flags', () => {
  it.each(['starred', 'collapsed', 'hide_link_previews'])(
    'lists the messages whose flag %s changed',
    async (name) => {
      const channel = await mail.addChannel([sender, reader]);
      const first = idOf(await sendToChannel(sender, channel));
      const second = idOf(await sendToChannel(sender, channel));
      await flag(reader, [first], 'add', name);
      const add = () => flag(reader, [second, first, 1], 'add', name);
      expect(await recorded.during(add)).toEqual([changed('add', name, [second])]);
      expect(await recorded.during(add)).toEqual([]);
      const remove = () => flag(reader, [second, first], 'remove', name);
      expect(await recorded.during(remove)).toEqual([changed('remove', name, [first, second])]);
      expect(await recorded.during(remove)).toEqual([]);
    },
  );

  it('lists readable messages that were not sent to the account', async () => {
    const channel = await mail.addChannel([sender]);
    const early = idOf(await sendToChannel(sender, channel));
    const received = idOf(await sendToPeople(sender, [reader]));
    const hidden = idOf(await sendToPeople(sender, [third]));
    const add = () => flag(reader, [received, early, hidden], 'add', 'starred');
    expect(await recorded.during(add)).toEqual([changed('add', 'starred', [early, received])]);
    expect(await recorded.during(add)).toEqual([]);
  });

  it('lists the messages that were marked as read', async () => {
    const first = idOf(await sendToPeople(sender, [reader]));
    const second = idOf(await sendToPeople(sender, [reader]));
    const add = () => flag(reader, [second, first], 'add', 'read');
    expect(await recorded.during(add)).toEqual([changed('add', 'read', [first, second])]);
    expect(await recorded.during(add)).toEqual([]);
  });

  it('has details of the messages that were marked as unread', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const muted = await mail.addChannel([sender, reader]);
    const left = await mail.addChannel([sender, reader]);
    const where = { channelId_userId: { channelId: muted.id, userId: reader.id } };
    const { prisma } = system.database.database;
    await prisma.subscription.update({ where, data: { isMuted: true } });
    const ids = [
      idOf(await sendToChannel(sender, channel, '@**all**', '')),
      idOf(await sendToChannel(sender, muted, '@**all**')),
      idOf(await sendToPeople(sender, [reader, third])),
      idOf(await sendToPeople(reader, [reader])),
      idOf(await sendToChannel(sender, left)),
    ] as const;
    await flag(reader, ids, 'add', 'read');
    await prisma.subscription.update({
      where: { channelId_userId: { channelId: left.id, userId: reader.id } },
      data: { isActive: false },
    });
    const remove = () => flag(reader, ids, 'remove', 'read');
    expect(await recorded.during(remove)).toEqual([
      changed('remove', 'read', ids.slice(0, 4), {
        message_details: {
          [ids[0]]: {
            type: 'stream',
            stream_id: channel.id,
            topic: '',
            unmuted_stream_msg: true,
            mentioned: true,
          },
          [ids[1]]: {
            type: 'stream',
            stream_id: muted.id,
            topic: 'lunch',
            unmuted_stream_msg: false,
          },
          [ids[2]]: { type: 'private', user_ids: [sender.id, third.id] },
          [ids[3]]: { type: 'private', user_ids: [] },
        },
      }),
    ]);
    expect(await recorded.during(remove)).toEqual([]);
  });
});

describe('Marking a channel as read', () => {
  it('stores one event with its messages', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const ids = [
      idOf(await sendToChannel(sender, channel)),
      idOf(await sendToChannel(sender, channel, 'Again', 'dinner')),
    ];
    const mark = () => reader.api.post('/mark_stream_as_read', { stream_id: channel.id });
    expect(await recorded.during(mark)).toEqual([changed('add', 'read', ids)]);
    expect(await recorded.during(mark)).toEqual([]);
  });
});

describe('Muting a sender', () => {
  it('stores an event with the messages of the sender', async () => {
    const annoying = await mail.organisation.addPerson();
    const ids = [
      idOf(await sendToPeople(annoying, [reader])),
      idOf(await sendToPeople(annoying, [reader])),
    ];
    const stored = await recorded.during(() =>
      reader.api.post(`/users/me/muted_users/${annoying.id}`),
    );
    expect(stored[0]).toEqual(changed('add', 'read', ids));
    const later = await recorded.during(() => sendToPeople(annoying, [reader]));
    expect(later).toMatchObject([
      {
        type: 'message',
        flags: [{ flags: ['read'], userIds: [annoying.id, reader.id].toSorted() }],
      },
    ]);
  });
});

describe('A message that is marked as unread while it moves', () => {
  const readMessage = async () => {
    const [from, to] = [
      await mail.addChannel([sender, reader]),
      await mail.addChannel([sender, third]),
    ];
    const id = idOf(await sendToChannel(sender, from));
    await flag(reader, [id], 'add', 'read');
    const move = (fields: Fields) => () =>
      sender.api.patch(`/messages/${id}`, { send_notification_to_new_thread: false, ...fields });
    return { from, to, id, move, mark: () => flag(reader, [id], 'remove', 'read') };
  };

  it('has the details of its new topic', async () => {
    const { id, move, mark } = await readMessage();
    const stored = await recorded.during(() =>
      commitTogether(system, mail.organisation, move({ topic: 'dinner' }), mark),
    );
    expect(stored.at(-1)).toMatchObject({
      type: 'update_message_flags',
      body: { op: 'remove', message_details: { [id]: { topic: 'dinner' } } },
    });
  });

  it.each(['before', 'after'])(
    'stays read in a channel that its reader has not, %s',
    async (order) => {
      const { to, id, move, mark } = await readMessage();
      const requests = [move({ stream_id: to.id }), mark];
      if (order === 'before') requests.reverse();
      await commitTogether(system, mail.organisation, ...requests);
      expect((await mail.received(id)).get(reader.id)?.isRead).toBe(true);
    },
  );
});

describe('Concurrent changes of the same flags', () => {
  it('end in the state of the last event', async () => {
    const ids = [
      idOf(await sendToPeople(sender, [reader])),
      idOf(await sendToPeople(sender, [reader])),
    ];
    const stored = await recorded.during(() =>
      Promise.all(
        Array.from({ length: 12 }, (_, number) =>
          flag(reader, ids, number % 2 === 0 ? 'add' : 'remove', 'read'),
        ),
      ),
    );
    const last = stored.at(-1) as { readonly body: { readonly op: string } };
    for (const id of ids) {
      expect((await mail.received(id)).get(reader.id)?.isRead).toBe(last.body.op === 'add');
    }
  });
});
