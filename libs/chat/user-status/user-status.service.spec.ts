import { describe, expect, it } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import { UserStatusService } from './user-status.service.js';

type Given = ConstructorParameters<typeof UserStatusService>;

describe(UserStatusService.name, () => {
  it('changes the status and the sharing of presence in one transaction', async () => {
    const steps: string[] = [];
    const step = (name: string, given: unknown) => {
      steps.push(given === 'transaction' ? name : `${name} outside`);
      return Promise.resolve({});
    };
    const sut = new UserStatusService(
      {} as Given[0],
      { change: (given: unknown) => step('status', given) } as unknown as Given[1],
      { change: (given: unknown) => step('setting', given) } as unknown as Given[2],
      {} as Given[3],
      {
        transaction: async (work: (transaction: unknown) => Promise<unknown>) => {
          const result = await work('transaction');
          steps.push('commit');
          return result;
        },
      } as unknown as Given[4],
      { changed: (given: unknown) => step('event', given) } as unknown as Given[5],
    );
    const caller = { userId: 1, realm: { id: 1 } } as Caller;
    await sut.changeOwn(caller, { isAway: true, text: 'Out' });
    expect(steps).toEqual(['setting', 'status', 'event', 'commit']);
  });
});
