import { expect } from '@jest/globals';
import { GroupMentions, MentionRepository } from '#chat/messages';
import { PUSH_TARGETS } from '#push/devices';
import { idOf, success } from '#test/answers';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import type { System } from '#test/start-system';
import { DeferralRepository } from '../deferrals/deferral.repository.js';
import { DeferredDecisions } from '../deferrals/deferred-decisions.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';

const WHOLE_DAYS = [{ days: [0, 1, 2, 3, 4, 5, 6], start: '00:00', end: '00:00' }];

/** People with quiet phones, a sender, and the decisions of a worker without jobs. */
export class QuietWorld {
  readonly #decisions: DeferredDecisions;

  private constructor(
    private readonly system: System,
    readonly people: NotifiedPeople,
    readonly sender: Person,
  ) {
    const { database } = system.database;
    this.#decisions = new DeferredDecisions(
      database,
      new DeferralRepository(database),
      new MessageNotificationRepository(PUSH_TARGETS),
      new GroupMentions(new MentionRepository(database)),
      { enqueue: async () => true } as unknown as DeliveryQueue,
      timeToLiveOf(60_000),
    );
  }

  static async in(system: System): Promise<QuietWorld> {
    const people = await NotifiedPeople.in(system);
    return new QuietWorld(system, people, await people.add({}, { fullName: 'Sven Sender' }));
  }

  decideAll(): Promise<void> {
    return this.#decisions.decideAll();
  }

  /** Changes settings of an account; the values are sent as JSON. */
  async set(person: Person, settings: Readonly<Record<string, unknown>>): Promise<void> {
    expect(await person.api.patch('/settings', settings)).toMatchObject(success);
  }

  /** A reader whose phones are quiet now. */
  async quietReader(
    exceptions: readonly string[] = [],
    settings: Readonly<Record<string, unknown>> = {},
  ): Promise<Person> {
    const reader = await this.people.add({ isPushedChannels: true });
    await this.beQuiet(reader, { push_quiet_hours_exceptions: exceptions, ...settings });
    return reader;
  }

  /** Quiet hours of a person begin. */
  async beQuiet(person: Person, settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.set(person, { push_quiet_hours: WHOLE_DAYS, ...settings });
  }

  /** Resolves with the id of a direct message of the sender. */
  async writeTo(reader: Person, content = 'soup'): Promise<number> {
    return idOf(await sendToPeople(this.sender, [reader], content));
  }

  /** The messages of the notifications of a person, in their order. */
  async notifiedOf(reader: Person): Promise<(number | undefined)[]> {
    const notifications = await this.people.of(reader);
    return notifications.map(({ content }) => (content as { messageId?: number }).messageId);
  }

  deferralOf({ id: userId }: Person) {
    return this.people.prisma.pushDeferral.findUnique({ where: { userId } });
  }

  /** What holds messages back has ended. */
  async endQuiet({ id }: Person): Promise<void> {
    const END = `UPDATE users SET push_quiet_times = NULL, push_snoozed_until = 0, push_delay_seconds = 0
      WHERE id = $1`;
    await this.system.database.database.query('end_quiet_time', END, [id]);
  }

  /** The time of the next decision has come; with `isOver`, what holds messages back has ended as well. */
  async makeDue(person: Person, { isOver = true } = {}): Promise<void> {
    const before = new Date(Date.now() - 1000);
    if (isOver) await this.endQuiet(person);
    const data = { dueAt: before, ...(isOver && { heldUntil: before }) };
    await this.people.prisma.pushDeferral.updateMany({ where: { userId: person.id }, data });
  }
}
