import { GroupMentions, MentionRepository } from '#chat/messages';
import { PUSH_TARGETS } from '#push/devices';
import type { Person } from '#test/organisation';
import type { System } from '#test/start-system';
import { addSubscription } from '#test/web-push-client';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { QuietWorld } from '../quiet/quiet-world.fixture.js';
import { DueReminders } from './due-reminders.js';
import { ReminderRepository } from './reminder.repository.js';

/** A notification of a message, and the platforms that it is sent to. */
interface RemindedNotification {
  readonly messageId: number;
  /** Whether phones show it in the place of the first notification of the message. */
  readonly isReminder: boolean;
  readonly platforms: readonly string[];
}

/** People who want reminders, and the reminders of a worker without jobs. */
export class RemindedWorld {
  private constructor(
    private readonly system: System,
    readonly quiet: QuietWorld,
  ) {}

  static async in(system: System): Promise<RemindedWorld> {
    return new RemindedWorld(system, await QuietWorld.in(system));
  }

  get people() {
    return this.quiet.people;
  }

  get prisma() {
    return this.quiet.people.prisma;
  }

  /** As of a worker. */
  worker(reminders = new ReminderRepository(this.system.database.database)): DueReminders {
    const { database } = this.system.database;
    return new DueReminders(
      database,
      reminders,
      new MessageNotificationRepository(PUSH_TARGETS),
      new GroupMentions(new MentionRepository(database)),
      { enqueue: async () => true } as unknown as DeliveryQueue,
      timeToLiveOf(60_000),
    );
  }

  /** A reader with an Android phone and an iPhone, who wants to be reminded after an hour. */
  async reader({ seconds = 3600, hasIphone = true } = {}): Promise<Person> {
    const reader = await this.people.add({ isPushedChannels: true });
    if (hasIphone) await this.people.addPhone(reader, { platform: 'apns' });
    await this.quiet.set(reader, { push_notifications_reminder_period_seconds: seconds });
    return reader;
  }

  /** Adds a browser to a person. */
  async addBrowser({ id: userId }: Person): Promise<void> {
    const { database } = this.system.database;
    await addSubscription(database, { userId, kind: 'browser', state: 'active' });
  }

  remindersOf({ id: userId }: Person) {
    return this.prisma.pushReminder.findMany({ where: { userId }, orderBy: { messageId: 'asc' } });
  }

  /** The time of the reminders of a person has come. */
  async makeDue({ id: userId }: Person): Promise<void> {
    const dueAt = new Date(Date.now() - 2000);
    await this.prisma.pushReminder.updateMany({ where: { userId }, data: { dueAt } });
  }

  /** Makes the reminders of a person due, and lets a worker send them. */
  async remind(person: Person): Promise<void> {
    await this.makeDue(person);
    await this.worker().remindAll();
  }

  /** The notifications of messages to a person, in the order of their deliveries. */
  async notifiedOf(person: Person): Promise<readonly RemindedNotification[]> {
    const notifications = await this.people.of(person);
    return notifications
      .filter(({ kind }) => kind === 'message')
      .map(({ content, deliveries }) => {
        const { messageId, replaces } = content as { messageId: number; replaces?: string };
        const platforms = deliveries.map(({ platform }) => platform).toSorted();
        return { messageId, isReminder: replaces !== undefined, platforms };
      });
  }

  /** The messages that a person was reminded of. */
  async remindedOf(person: Person): Promise<number[]> {
    const notifications = await this.notifiedOf(person);
    return notifications.filter((one) => one.isReminder).map(({ messageId }) => messageId);
  }
}
