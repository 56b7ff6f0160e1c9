import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { useDatabase, useFixture } from '#test/use-fixture';
import { OperatorActionRepository } from './operator-action.repository.js';
import { OperatorActions } from './operator-actions.js';

const MAX_KEPT = 10_000;
const stop = { action: 'servers.stop', target: 'chat.test', details: { reason: 'Unpaid' } };

const stores = useDatabase();
const sut = useFixture(
  async () => new OperatorActions(new OperatorActionRepository(stores.database), 'cli:ada'),
);
let logged: jest.SpiedFunction<Logger['log']>;
beforeEach(async () => {
  await stores.database.prisma.operatorAction.deleteMany();
  logged = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe(OperatorActions.name, () => {
  it('records a change with its transaction, as a row and a log entry', async () => {
    await stores.database.transaction(async (transaction) => {
      await sut.record(stop, transaction);
      expect(logged).not.toHaveBeenCalled();
    });
    expect(await sut.list(10)).toEqual([{ ...stop, actor: 'cli:ada', doneAt: expect.any(Date) }]);
    const message = 'An operator has made a change';
    expect(logged.mock.calls).toEqual([[{ message, operator: 'cli:ada', ...stop }]]);
  });

  it('records nothing for a change that is rolled back', async () => {
    const changing = stores.database.transaction(async (transaction) => {
      await sut.record(stop, transaction);
      throw new Error('refused');
    });
    await expect(changing).rejects.toThrow('refused');
    expect(await sut.list(10)).toEqual([]);
    expect(logged).not.toHaveBeenCalled();
  });

  it('logs a change of another store that cannot be stored', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const away = new OperatorActionRepository(stores.database);
    jest.spyOn(away, 'add').mockRejectedValue(new Error('away'));
    await new OperatorActions(away, 'ops').record({ action: 'push.pause', target: 'apns' });
    expect(logged).toHaveBeenCalledTimes(1);
    expect(warned).toHaveBeenCalledWith('push.pause was done and not recorded: away');
  });

  it('lists the newest first, and keeps a limited number', async () => {
    const rows = Array.from({ length: MAX_KEPT }, (_, index) => ({
      actor: 'ops',
      action: 'push.pause',
      target: String(index),
      details: {},
    }));
    await stores.database.prisma.operatorAction.createMany({ data: rows });
    await sut.record({ action: 'push.pause', target: 'one' });
    await sut.record({ action: 'push.pause', target: 'two' });
    expect((await sut.list(3)).map(({ target }) => target)).toEqual(['two', 'one', '9999']);
    expect(await stores.database.prisma.operatorAction.count()).toBeLessThanOrEqual(MAX_KEPT + 1);
    expect(await stores.database.prisma.operatorAction.findFirst({ where: { target: '0' } })).toBe(
      null,
    );
  });
});
