import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { MessageSender } from '#chat/messages';
import type { AccountRepository } from '#directory/auth';
import { eventually } from '#test/eventually';
import type { ScheduledMessageFailures } from './scheduled-message-failures.js';
import type { DueMessage, ScheduledMessageRepository } from './scheduled-message.repository.js';
import { ScheduledMessagesDelivery } from './scheduled-messages-delivery.js';
import type { ScheduledMessageEvents } from './scheduled-messages.events.js';
import { TOO_LATE } from './scheduled-messages.rules.js';

const TEN_MINUTES_MS = 600_000;

const due = (lateMs: number, deliverAt: number) =>
  ({
    id: 1,
    userId: 2,
    channelId: 3,
    toIds: [],
    lateMs,
    deliverAt: new Date(deliverAt),
  }) as unknown as DueMessage;

/** A gateway that leases a message. The fakes have the methods that a delivery calls. */
function startDelivery(message: DueMessage) {
  const lease = jest.fn<() => Promise<DueMessage[]>>().mockResolvedValue([]);
  lease.mockResolvedValueOnce([message]);
  const send = jest.fn(() => Promise.resolve());
  const store = jest.fn((..._failed: unknown[]) => Promise.resolve());
  const sut = new ScheduledMessagesDelivery(
    { lease } as unknown as ScheduledMessageRepository,
    {} as ScheduledMessageEvents,
    { send } as unknown as MessageSender,
    { store } as unknown as ScheduledMessageFailures,
    { findActive: () => Promise.resolve({ userId: 2 }) } as unknown as AccountRepository,
  );
  sut.onSchemaReady();
  return { sut, send, store };
}

let sut: ScheduledMessagesDelivery;
afterEach(() => sut.onApplicationShutdown());

describe(ScheduledMessagesDelivery.name, () => {
  it('sends a message that is due by the clock of PostgreSQL, although the own clock is far ahead', async () => {
    const started = startDelivery(due(1000, Date.now() - 2 * TEN_MINUTES_MS));
    ({ sut } = started);
    await eventually(() => expect(started.send).toHaveBeenCalledTimes(1));
    expect(started.store).not.toHaveBeenCalled();
  });

  it('does not send a message that is ten minutes late by that clock, although the own one is behind', async () => {
    const started = startDelivery(due(TEN_MINUTES_MS + 1, Date.now()));
    ({ sut } = started);
    await eventually(() =>
      expect(started.store).toHaveBeenCalledWith(expect.anything(), expect.anything(), TOO_LATE),
    );
    expect(started.send).not.toHaveBeenCalled();
  });
});
