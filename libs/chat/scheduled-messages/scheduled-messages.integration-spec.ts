import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { MessageSender } from '#chat/messages';
import { roles } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import { useDatabase } from '#test/use-fixture';
import { ScheduledMessageRepository } from './scheduled-message.repository.js';
import type { ScheduledMessageEvents } from './scheduled-messages.events.js';
import { ScheduledMessagesService } from './scheduled-messages.service.js';

const HOUR_MS = 3_600_000;
const HALF_HOUR_MS = HOUR_MS / 2;

const stores = useDatabase();
let sut: ScheduledMessagesService;
let caller: Caller;

beforeAll(async () => {
  const { database } = stores;
  const { id: realmId } = await database.prisma.realm.create({
    data: { subdomain: 'chat', name: 'Chat' },
  });
  const email = 'ada@example.org';
  const user = await database.prisma.user.create({
    data: {
      realmId,
      deliveryEmail: email,
      email,
      fullName: 'Ada',
      role: roles.member,
      apiKeyHash: new Uint8Array(32),
      apiKeySealed: new Uint8Array(),
    },
  });
  caller = {
    userId: user.id,
    deliveryEmail: email,
    role: roles.member,
    isBot: false,
    isPresenceEnabled: true,
    joinedAt: 0,
    keyGeneration: 1,
    realm: { id: realmId, subdomain: 'chat', isPresenceDisabled: false },
  };
  // The fakes have the methods that the service calls.
  const check: () => Promise<unknown> = async () => ({
    place: { userIds: [user.id] },
    content: { content: 'Hi', rendered: '<p>Hi</p>' },
  });
  sut = new ScheduledMessagesService(
    new ScheduledMessageRepository(database),
    { added: () => undefined } as unknown as ScheduledMessageEvents,
    { check } as unknown as MessageSender,
    database,
  );
});
afterEach(() => void jest.restoreAllMocks());

const schedule = (deliverAt: number) =>
  sut.create(caller, {
    kind: 'direct',
    to: JSON.stringify([caller.userId]),
    topic: '',
    content: 'Hi',
    deliverAt: new Date(deliverAt),
    client: 'test',
    isReadBySender: true,
  });

describe(ScheduledMessagesService.name, () => {
  it('compares the time of a message with the clock of PostgreSQL', async () => {
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + HOUR_MS);
    expect(await schedule(now + HALF_HOUR_MS)).toEqual(expect.any(Number));
    clock.mockReturnValue(now - HOUR_MS);
    await expect(schedule(now - HALF_HOUR_MS)).rejects.toMatchObject({
      error: { code: 'DELIVERY_TIME_NOT_IN_FUTURE' },
    });
  });
});
