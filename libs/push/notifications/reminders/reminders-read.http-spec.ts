import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { untilLockWaits } from '#test/lock-waits';
import { sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { DeferralRepository } from '../deferrals/deferral.repository.js';
import { RemindedWorld } from './reminded-world.fixture.js';
import { ReminderRepository } from './reminder.repository.js';

const system = useGateway();
const world = useFixture(() => RemindedWorld.in(system));

const read = async ({ api }: Person, messages: readonly number[]) =>
  expect(await api.post('/messages/flags', { messages, op: 'add', flag: 'read' })).toMatchObject(
    success,
  );

const idsOf = async (person: Person) =>
  (await world.remindersOf(person)).map(({ messageId }) => Number(messageId));

describe('Reading', () => {
  it('ends the reminders of what was read, and those of nobody else', async () => {
    const [reader, other] = [await world.reader(), await world.reader()];
    const ids = [await world.quiet.writeTo(reader), await world.quiet.writeTo(reader)];
    const others = await world.quiet.writeTo(other);
    expect(await idsOf(reader)).toEqual(ids);
    await read(reader, ids.slice(0, 1));
    expect(await idsOf(reader)).toEqual(ids.slice(1));
    expect(await idsOf(other)).toEqual([others]);
  });

  it('takes no further statement for that', async () => {
    const [reader, plain] = [await world.reader(), await world.reader({ seconds: 0 })];
    const statementsOf = async (person: Person) => {
      const id = await world.quiet.writeTo(person);
      return countStatements(() => read(person, [id]));
    };
    await statementsOf(plain);
    expect(await statementsOf(reader)).toBe(await statementsOf(plain));
  });

  it('does not wait for a worker that reminds, which ends the reminder itself', async () => {
    const reader = await world.reader();
    const id = await world.quiet.writeTo(reader);
    const { database } = system.database;
    await database.transaction(async (transaction) => {
      await transaction.query(
        'lock_reminders',
        'SELECT FROM push_reminders WHERE user_id = $1 FOR UPDATE',
        [reader.id],
      );
      await read(reader, [id]);
    });
    expect(await idsOf(reader)).toEqual([id]);
    await world.remind(reader);
    expect(await idsOf(reader)).toEqual([]);
    expect(await world.remindedOf(reader)).toEqual([]);
  });

  it('keeps the reminders of a message that is taken back: it may be notified again', async () => {
    const reader = await world.reader();
    const id = await world.quiet.writeTo(reader);
    await world.quiet.set(reader, { enable_offline_push_notifications: false });
    expect(await idsOf(reader)).toEqual([id]);
  });
});

describe('The reminders of an account', () => {
  /** Adds held reminders, the newest message first: without an order PostgreSQL locks them as they lie in the table. */
  async function addHeld(): Promise<Person> {
    const reader = await world.reader();
    await world.prisma.pushReminder.createMany({
      data: [9, 8, 7].map((messageId) => ({
        userId: reader.id,
        messageId,
        notificationId: randomUUID(),
        isHeld: true,
        dueAt: new Date(0),
      })),
    });
    return reader;
  }

  it.each([
    [
      'a change of the settings',
      ({ id }: Person) => {
        const { database } = system.database;
        return database.transaction((one) => new DeferralRepository(database).release(one, id));
      },
    ],
    [
      'a worker that postpones them',
      ({ id }: Person) => new ReminderRepository(system.database.database).postpone(id, 60),
    ],
  ])('are locked by %s in the order of the messages', async (_, change) => {
    const reader = await addHeld();
    const { database } = system.database;
    let changing: Promise<void> | undefined;
    await database.transaction(async (transaction) => {
      const lock = (messageId: number) =>
        transaction.query(
          'lock_reminder',
          'SELECT FROM push_reminders WHERE user_id = $1 AND message_id = $2 FOR UPDATE NOWAIT',
          [reader.id, messageId],
        );
      await lock(7);
      changing = change(reader);
      // Another session waits for the first one, and holds none of the others.
      await untilLockWaits(database, 1, 'push_reminders');
      await lock(9);
      await lock(8);
    });
    await changing;
    const { dueAt } = (await world.remindersOf(reader)).at(-1) ?? {};
    expect(dueAt?.getTime()).toBeGreaterThan(0);
  });
});

describe('The end of quiet hours', () => {
  it('shows a conversation once, by what came meanwhile and not by a reminder too', async () => {
    const reader = await world.reader();
    const channel = await world.people.mail.addChannel([world.quiet.sender, reader]);
    const send = async (text: string, topic: string) =>
      idOf(await sendToChannel(world.quiet.sender, channel, text, topic));
    const direct = await world.quiet.writeTo(reader);
    const mention = await send(`@**|${reader.id}**`, 'lunch');
    await world.quiet.beQuiet(reader);
    await world.remind(reader);
    const later = await world.quiet.writeTo(reader);
    const other = await send('x', 'dinner');
    await world.quiet.makeDue(reader);
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual([]);
    await world.quiet.decideAll();
    await world.worker().remindAll();
    const shown = (await world.notifiedOf(reader)).map((one) => [one.messageId, one.isReminder]);
    expect(shown).toEqual([
      [direct, false],
      [mention, false],
      [later, false],
      [other, false],
      [mention, true],
    ]);
    // The others count as shown.
    const counts = (await world.remindersOf(reader)).map(({ sent }) => sent);
    expect(counts).toEqual([1, 1, 0]);
  });
});
