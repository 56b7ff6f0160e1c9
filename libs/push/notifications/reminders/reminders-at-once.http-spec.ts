import { describe, expect, it } from '@jest/globals';
import { untilLockWaits } from '#test/lock-waits';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { RemindedWorld } from './reminded-world.fixture.js';
import { ReminderRepository } from './reminder.repository.js';

const system = useGateway();
const world = useFixture(() => RemindedWorld.in(system));

/** Does something once, before it stores what follows for an account. Accounts of other tests may be due as well. */
class Interrupted extends ReminderRepository {
  #isNew = true;

  constructor(
    private readonly userId: number,
    private readonly interrupt: () => Promise<void>,
  ) {
    super(system.database.database);
  }

  override async settle(...given: Parameters<ReminderRepository['settle']>): Promise<void> {
    if (this.#isNew && given[1] === this.userId) {
      this.#isNew = false;
      await this.interrupt();
    }
    await super.settle(...given);
  }
}

describe('Reminders of one account', () => {
  it('come once, if an earlier message is due while another worker reminds of a later one', async () => {
    const reader = await world.reader();
    const [earlier, later] = [await world.quiet.writeTo(reader), await world.quiet.writeTo(reader)];
    const makeDue = (messageId: number) =>
      world.prisma.pushReminder.updateMany({
        where: { userId: reader.id, messageId },
        data: { dueAt: new Date(Date.now() - 2000) },
      });
    await makeDue(later);
    let other = Promise.resolve();
    const repository = new Interrupted(reader.id, async () => {
      await makeDue(earlier);
      other = world.worker().remindAll();
      await untilLockWaits(system.database.database, 1, 'push_reminders');
    });
    await world.worker(repository).remindAll();
    await other;
    expect(await world.remindedOf(reader)).toEqual([later, earlier]);
    expect(await world.remindersOf(reader)).toMatchObject([{ sent: 1 }, { sent: 1 }]);
  });
});
