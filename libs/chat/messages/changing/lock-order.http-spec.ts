import { expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { idOf, success } from '#test/answers';
import { untilLockWaits } from '#test/lock-waits';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const HOLD = `SELECT FROM messages WHERE id = $1 FOR SHARE`;
const IS_FREE = `SELECT id FROM messages WHERE id = $1 FOR SHARE SKIP LOCKED`;

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const admin = useFixture(() => mail.organisation.addPerson({ role: roles.administrator }));

// A marking as unread holds its messages in this order: each would wait for the other.
it.each([
  [
    'move',
    (_: number, id: number) =>
      admin.api.patch(`/messages/${id}`, { topic: 'dinner', propagate_mode: 'change_all' }),
  ],
  [
    'deletion',
    (channelId: number) =>
      admin.api.post(`/streams/${channelId}/delete_topic`, { topic_name: 'lunch' }),
  ],
])('the %s of a topic locks its messages in the order of their ids', async (_, change) => {
  const { database } = system.database;
  const channel = await mail.addChannel([admin]);
  const first = idOf(await sendToChannel(admin, channel, 'One', 'lunch'));
  const second = idOf(await sendToChannel(admin, channel, 'Two', 'lunch'));
  const { reply } = await database.transaction(async (transaction) => {
    await transaction.query('hold', HOLD, [first]);
    const changed = change(channel.id, second);
    await untilLockWaits(database);
    expect(await database.query('is_free', IS_FREE, [second])).toHaveLength(1);
    // Not awaited: it waits for the end of this transaction.
    return { reply: changed };
  });
  expect(await reply).toMatchObject(success);
});

const HOLD_ROW = `SELECT FROM user_messages WHERE user_id = $1 AND message_id = $2 FOR NO KEY UPDATE`;
const ROW_IS_FREE = `
  SELECT user_id FROM user_messages WHERE user_id = $1 AND message_id = $2 FOR NO KEY UPDATE SKIP LOCKED`;

// The deletion of a topic holds its messages before the rows of their readers: each would wait for the other.
it('stars lock messages before the rows of their reader', async () => {
  const { database } = system.database;
  const reader = await mail.organisation.addPerson();
  const channel = await mail.addChannel([admin]);
  const earlier = idOf(await sendToChannel(admin, channel, 'One', 'lunch'));
  await database.prisma.subscription.create({
    data: { channelId: channel.id, userId: reader.id },
  });
  const received = idOf(await sendToChannel(admin, channel, 'Two', 'lunch'));
  const replies = await database.transaction(async (transaction) => {
    await transaction.query('hold_row', HOLD_ROW, [admin.id, received]);
    const deletion = admin.api.post(`/streams/${channel.id}/delete_topic`, { topic_name: 'lunch' });
    await untilLockWaits(database);
    const messages = [earlier, received];
    const stars = reader.api.post('/messages/flags', { op: 'add', flag: 'starred', messages });
    await untilLockWaits(database, 2);
    const values = [reader.id, received];
    expect(await database.query('row_is_free', ROW_IS_FREE, values)).toHaveLength(1);
    // Not awaited: they wait for the end of this transaction.
    return { all: Promise.all([deletion, stars]) };
  });
  expect(await replies.all).toMatchObject([success, success]);
});

const SHARE_TOPICS = `SELECT pg_advisory_xact_lock_shared(hashtextextended('user_topics of realm:' || $1::int, 0))`;

// A change of a topic's visibility holds the topics, and takes notifications back from a reader: each would wait for the other.
it('moves wait for changes of the visibility of topics before they lock the rows of readers', async () => {
  const { database } = system.database;
  const reader = await mail.organisation.addPerson();
  const channel = await mail.addChannel([admin, reader]);
  const target = await mail.addChannel([admin]);
  const id = idOf(await sendToChannel(admin, channel, 'One', 'lunch'));
  const { reply } = await database.transaction(async (transaction) => {
    await transaction.query('share_topics', SHARE_TOPICS, [mail.organisation.id]);
    const moved = admin.api.patch(`/messages/${id}`, { stream_id: target.id });
    await untilLockWaits(database);
    const values = [reader.id, id];
    expect(await database.query('row_is_free', ROW_IS_FREE, values)).toHaveLength(1);
    // Not awaited: it waits for the end of this transaction.
    return { reply: moved };
  });
  expect(await reply).toMatchObject(success);
});

// A worker that takes notifications of several messages back locks the rows of their readers in this order.
it('deletions lock the rows of readers in the order of the readers', async () => {
  const { database } = system.database;
  const reader = await mail.organisation.addPerson();
  const channel = await mail.addChannel([admin, reader]);
  const first = idOf(await sendToChannel(admin, channel, 'One', 'lunch'));
  const second = idOf(await sendToChannel(admin, channel, 'Two', 'lunch'));
  const { reply } = await database.transaction(async (transaction) => {
    await transaction.query('hold_row', HOLD_ROW, [admin.id, second]);
    const deleted = admin.api.post(`/streams/${channel.id}/delete_topic`, { topic_name: 'lunch' });
    await untilLockWaits(database);
    const values = [reader.id, first];
    expect(await database.query('row_is_free', ROW_IS_FREE, values)).toHaveLength(1);
    // Not awaited: it waits for the end of this transaction.
    return { reply: deleted };
  });
  expect(await reply).toMatchObject(success);
});
