import { describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import { untilLockWaits } from '#test/lock-waits';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToPeople } from '#test/messages-organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));

/** As a worker that notifies a reader who has left. */
const SHOW = 'UPDATE user_messages SET is_pushed = true WHERE message_id = $1 AND user_id = $2';

describe('A message that is deleted', () => {
  it('is removed from phones also if a worker notifies a reader of it at this moment', async () => {
    const [sender, reader] = [await people.add(), await people.add()];
    await people.wasActive(reader, 1);
    const id = idOf(await sendToPeople(sender, [reader]));
    expect(await people.onScreenOf(reader)).toEqual([]);
    const { database } = system.database;
    const deleting = await database.transaction(async (transaction) => {
      await transaction.query('show', SHOW, [id, reader.id]);
      const answer = sender.api.delete(`/messages/${id}`);
      await untilLockWaits(database);
      return { answer };
    });
    expect(await deleting.answer).toMatchObject({ status: 200 });
    expect(await people.of(reader)).toMatchObject([
      { kind: 'remove', content: { messageIds: [id] } },
    ]);
  });
});
