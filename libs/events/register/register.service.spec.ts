import { describe, expect, it, jest } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import { requestErrors, signInErrors } from '#platform/contracts';
import { NO_EVENTS } from '#events/log';
import type { QueuesService } from '#events/queues';
import { registerErrors } from './register.errors.js';
import { RegisterService } from './register.service.js';
import type { SharedStates } from './shared-states.js';
import type { AccountSnapshot, SnapshotRepository } from './snapshot.repository.js';

type Caller = Parameters<RegisterService['register']>[0];
type Registration = Parameters<RegisterService['register']>[1];

const MEMBER = 400;
const GUEST = 600;
const caller = { userId: 5, role: MEMBER, realm: { id: 7 } } as Caller;
const registration = (allPublicStreams = false) =>
  ({ options: { allPublicStreams, eventTypes: null }, fetchTypes: null }) as Registration;

/** Registrations whose snapshots have these roles, and whose queues can or cannot be started, in turn. */
function registering({ role = MEMBER as number | null, starts = [true] } = {}) {
  const start = jest.fn<() => Promise<boolean>>();
  for (const isStarted of starts) start.mockResolvedValueOnce(isStarted);
  start.mockResolvedValue(false);
  const read = jest.fn(
    async (_: Caller, readState: (snapshot: AccountSnapshot) => Promise<unknown>) => ({
      state: await readState({ session: {}, head: NO_EVENTS, role } as AccountSnapshot),
      position: 3,
    }),
  );
  const reserve = jest.fn(() => Promise.resolve({ id: 'queue' }));
  const sut = new RegisterService(
    { read } as unknown as SnapshotRepository,
    {} as SharedStates,
    { reserve, start } as unknown as QueuesService,
    { getProviders: () => [] } as unknown as DiscoveryService,
    { eventQueues: 10 },
    (code) => code === GUEST,
  );
  return { sut, read, reserve };
}

describe(RegisterService.name, () => {
  it('reads the state again, for another queue, if the account lost its queues meanwhile', async () => {
    const { sut, read, reserve } = registering({ starts: [false, false, true] });
    expect(await sut.register(caller, registration())).toMatchObject({ queueId: 'queue' });
    expect([read.mock.calls.length, reserve.mock.calls.length]).toEqual([3, 3]);
  });

  it('gives up after some attempts', async () => {
    const { sut } = registering({ starts: [] });
    await expect(sut.register(caller, registration())).rejects.toMatchObject({
      error: requestErrors.temporarilyUnavailable,
    });
  });

  it.each([
    [GUEST, registerErrors.allMessagesNotAuthorized],
    [null, signInErrors.accountDeactivated],
  ])('obeys the role %s that the account has got since its sign-in', async (role, error) => {
    const { sut } = registering({ role });
    await expect(sut.register(caller, registration(true))).rejects.toMatchObject({ error });
  });
});
