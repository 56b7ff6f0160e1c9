import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '#platform/database';
import { untilLockWaits } from '#test/lock-waits';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { fanOutJob, runToEnd } from './fan-out-job.fixture.js';
import { PAGE_RECIPIENTS } from './message-fan-out.job.js';
import { MessageFanOutRepository } from './message-fan-out.repository.js';

/** Three pages. */
const CROWD = 2 * PAGE_RECIPIENTS + 100;

const NOTIFIED = `
  SELECT user_id AS "userId" FROM push_notifications
  WHERE (content ->> 'messageId')::bigint = $1 AND content ->> 'trigger' = $2
  UNION ALL
  SELECT unnest(user_ids) FROM push_pages
  WHERE (content ->> 'messageId')::bigint = $1 AND content ->> 'trigger' = $2
  ORDER BY 1`;

const system = useGateway();
let database: Database;
let people: NotifiedPeople;
let sender: Person;
let crowd: readonly number[];
/** Nobody wants notifications of all its messages. */
let channel: { readonly id: number; readonly name: string };

beforeAll(async () => {
  ({ database } = system.database);
  people = await NotifiedPeople.in(system);
  crowd = await people.addCrowd(CROWD);
  sender = await people.add();
});

beforeEach(async () => {
  channel = await people.mail.addChannel([sender]);
  await people.subscribeCrowd(channel, crowd, { wantsAll: false });
});

const send = async (): Promise<number> => {
  const { status, body } = await sendToChannel(sender, channel, 'Hello');
  expect(status).toBe(200);
  return Number(body['id']);
};

const mentionAll = async (messageId: number): Promise<void> => {
  const { status } = await sender.api.patch(`/messages/${messageId}`, { content: '@**all**' });
  expect(status).toBe(200);
};

const notifiedIds = async (messageId: number, trigger: string): Promise<number[]> => {
  const values = [messageId, trigger];
  const rows = await database.query<{ userId: number }>('notified_by_trigger', NOTIFIED, values);
  return rows.map(({ userId }) => userId);
};

const mentionedIds = (messageId: number) => notifiedIds(messageId, 'wildcard_mention');

const waiting = () => people.prisma.pushFanOut.count({ where: { channelId: channel.id } });

/** `afterPage` is called after the commit of each page. */
const notifyAll = (afterPage: () => Promise<void> = async () => {}): Promise<void> => {
  const enqueue = async () => {
    await afterPage();
    return true;
  };
  return runToEnd(fanOutJob(database, enqueue), channel.id);
};

describe('An edit that mentions more readers than a page', () => {
  it('leaves their notifications to a worker', async () => {
    const messageId = await send();
    await notifyAll();
    await mentionAll(messageId);
    expect(await mentionedIds(messageId)).toEqual([]);
    expect(await waiting()).toBe(1);
    await notifyAll();
    expect(await mentionedIds(messageId)).toEqual(crowd);
    expect(await waiting()).toBe(0);
  });

  it('notifies nobody again', async () => {
    const [wanting = 0, ...others] = crowd;
    const where = { channelId_userId: { channelId: channel.id, userId: wanting } };
    await people.prisma.subscription.update({ where, data: { pushNotifications: true } });
    const messageId = await send();
    await notifyAll();
    await mentionAll(messageId);
    await notifyAll();
    expect(await notifiedIds(messageId, 'channel')).toEqual([wanting]);
    expect(await mentionedIds(messageId)).toEqual(others);
  });

  it('notifies also the readers of the pages before it', async () => {
    const messageId = await send();
    let pages = 0;
    await notifyAll(async () => {
      pages += 1;
      if (pages === 2) await mentionAll(messageId);
    });
    expect(await mentionedIds(messageId)).toEqual(crowd);
  });

  it('and the worker that notifies the message do not wait for each other', async () => {
    const messageId = await send();
    const fanOuts = new MessageFanOutRepository(database);
    const turns = jest.spyOn(MessageFanOutRepository.prototype, 'lockFirst');
    let notifying: Promise<void> = Promise.resolve();
    await database.transaction(async (transaction) => {
      // The worker is the first to look for a deadlock, and would begin again.
      await transaction.query('patient_edit', "SET LOCAL deadlock_timeout = '1min'");
      const text = 'SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE';
      await transaction.query('edited_channel', text, [channel.id]);
      notifying = notifyAll();
      await untilLockWaits(database);
      const message = {
        id: messageId,
        channelId: channel.id,
        senderId: 1,
        mentionedVia: new Map(),
      };
      await fanOuts.add(transaction, message, { timeToLiveMs: 60_000, traceParent: null });
    });
    await notifying;
    expect(await waiting()).toBe(0);
    // Each page, and none that waits.
    expect(turns).toHaveBeenCalledTimes(Math.ceil(CROWD / PAGE_RECIPIENTS) + 1);
    turns.mockRestore();
  });
});
