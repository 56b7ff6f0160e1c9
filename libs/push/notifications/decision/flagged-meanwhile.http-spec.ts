import { expect, it } from '@jest/globals';
import { PUSH_TARGETS } from '#push/devices';
import { NotifiedPeople } from '#test/message-notifications-world';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { MessageNotificationRepository } from '../message-notification.repository.js';

/** So many that a decision takes some time between the moment that it sees and its last lock. */
const MESSAGES = 1000;
const FLAGGED = 100;

const ADD = `
  WITH sent AS (
    INSERT INTO messages (realm_id, sender_id, conversation_id, content)
    SELECT $1, $2, $3, 'Hello' FROM generate_series(1, ${MESSAGES}) RETURNING id
  ),
  received AS (INSERT INTO user_messages (user_id, message_id) SELECT $4, id FROM sent)
  SELECT id::bigint FROM sent ORDER BY id`;

const STAR = `
  UPDATE user_messages SET is_starred = NOT is_starred WHERE user_id = $1 AND message_id = $2`;

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));

it('marks all messages that it notifies of, although some are flagged in the same moment', async () => {
  const { database } = system.database;
  const [sender, reader] = [await people.add(), await people.add()];
  const { id: realmId } = people.mail.organisation;
  const members = { create: [{ userId: sender.id }, { userId: reader.id }] };
  const data = { realmId, key: `${sender.id},${reader.id}`, members };
  const { id: conversationId } = await people.prisma.directConversation.create({ data });
  const values = [realmId, sender.id, conversationId, reader.id];
  const added = await database.query<{ id: number }>('add', ADD, values);
  const last = added.slice(-FLAGGED).map(({ id }) => id);
  const decision = { isRunning: true };
  const flagging = (async () => {
    for (let turn = 0; decision.isRunning; turn += 1)
      await database.query('star_newest', STAR, [reader.id, last[turn % FLAGGED]]);
  })();
  const decided = await database.transaction((transaction) =>
    new MessageNotificationRepository(PUSH_TARGETS).decide(
      transaction,
      added.map(({ id: messageId }) => ({
        userId: reader.id,
        messageId,
        groupId: null,
        isCaughtUp: false,
        replaces: null,
      })),
      { timeToLiveMs: 60_000, traceParent: null },
    ),
  );
  decision.isRunning = false;
  await flagging;
  const where = { userId: reader.id, isPushed: true };
  // One that was locked at the moment of its turn is decided later.
  expect(await people.prisma.userMessage.count({ where })).toBe(decided.accepted.length);
});
