import { setImmediate } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '../../../test/support/eventually.js';
import { untilLockWaits } from '../../../test/support/lock-waits.js';
import { startSwitchableProxy } from '../../../test/support/switchable-proxy.js';
import { hasRoom, lockAndCheckRoom, lockList } from './capped-list.js';
import { Database, type Session, Transaction } from './database.js';
import { queryRow } from './query-row.js';
import { useConnection, useDatabase } from '#test/use-fixture';

const stores = useDatabase();
/** A pool of one connection: if a connection is not released, the next statement fails. */
const sut = useConnection(stores);

beforeAll(async () => {
  await sut.query('create_notes', 'CREATE TABLE notes (text text UNIQUE)');
});

beforeEach(() => sut.query('clear_notes', 'DELETE FROM notes'));

const add = (session: Session, text: string) =>
  session.query('add_note', 'INSERT INTO notes VALUES ($1)', [text]);

const notes = async (session: Session = sut): Promise<string[]> => {
  const rows = await session.query<{ text: string }>('notes', 'SELECT text FROM notes ORDER BY 1');
  return rows.map(({ text }) => text);
};

/** The connection with this id, if it is in a state. */
const ACTIVITY = 'SELECT FROM pg_stat_activity WHERE pid = $1 AND state LIKE $2';

const connectionOf = async (session: Session): Promise<number | undefined> => {
  const [row] = await session.query<{ pid: number }>('pid', 'SELECT pg_backend_pid() AS pid');
  return row?.pid;
};

describe(lockAndCheckRoom.name, () => {
  it('counts two lists of one table on one connection', async () => {
    await add(sut, 'a');
    const all = { table: 'notes', owner: 'length(text)' };
    const some = { ...all, where: `text = 'b'` };
    expect(await sut.transaction((transaction) => lockAndCheckRoom(transaction, all, 1, 1))).toBe(
      false,
    );
    expect(await sut.transaction((transaction) => lockAndCheckRoom(transaction, some, 1, 1))).toBe(
      true,
    );
  });
});

describe(hasRoom.name, () => {
  it('does not wait for the changes of a list', async () => {
    const list = { table: 'notes', owner: 'length(text)' };
    const room = await sut.transaction(async (transaction) => {
      await lockList(transaction, list, 1);
      return hasRoom(stores.database, list, 1, 1);
    });
    expect(room).toBe(true);
  });
});

describe(queryRow.name, () => {
  it('resolves with the row of a statement', async () => {
    const insert = 'INSERT INTO notes VALUES ($1) RETURNING text';
    expect(await queryRow(sut, 'insert_note', insert, ['a'])).toEqual({ text: 'a' });
  });

  it('rejects with the name of a statement without a row', async () => {
    const missing = queryRow(sut, 'missing_note', 'SELECT FROM notes');
    await expect(missing).rejects.toThrow('The statement missing_note returned no row');
  });
});

describe(Transaction.name, () => {
  it('commits its statements together and resolves with the result of the work', async () => {
    const result = await sut.transaction(async (transaction) => {
      await add(transaction, 'a');
      await add(transaction, 'b');
      expect(await notes(transaction)).toEqual(['a', 'b']);
      expect(await notes(stores.database)).toEqual([]);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await notes(stores.database)).toEqual(['a', 'b']);
  });

  it('runs again after a deadlock', async () => {
    await add(sut, 'a');
    await add(sut, 'b');
    const touch = (session: Session, text: string) =>
      session.query('touch_note', 'UPDATE notes SET text = text WHERE text = $1', [text]);
    const runs: string[] = [];
    let meet: () => void = () => undefined;
    const bothHaveOne = new Promise<void>((resolve) => {
      meet = resolve;
    });
    let end: () => void = () => undefined;
    const oneHasEnded = new Promise<void>((resolve) => {
      end = resolve;
    });
    const both = async (session: Session, first: string, second: string) => {
      await session.transaction(async (transaction) => {
        // Otherwise the second attempt could take its first row again before the other transaction, which waits for it.
        if (runs.length >= 2) await oneHasEnded;
        await touch(transaction, first);
        // Only now does the transaction hold its first row.
        runs.push(first);
        if (runs.length === 2) meet();
        await bothHaveOne;
        await touch(transaction, second);
      });
      end();
    };
    await Promise.all([both(sut, 'a', 'b'), both(stores.database, 'b', 'a')]);
    expect(runs).toHaveLength(3);
  });

  it('rolls back and rejects with the error of the work', async () => {
    const trouble = new Error('Something went wrong.');
    const work = sut.transaction(async (transaction) => {
      await add(transaction, 'a');
      throw trouble;
    });
    await expect(work).rejects.toBe(trouble);
    expect(await notes()).toEqual([]);
  });

  it('rolls back after a failed statement and rejects with the error of PostgreSQL', async () => {
    const work = sut.transaction(async (transaction) => {
      await add(transaction, 'a');
      await add(transaction, 'a');
    });
    await expect(work).rejects.toMatchObject({ code: '23505' });
    expect(await notes()).toEqual([]);
  });

  it('rejects when the work resolves despite a failed statement', async () => {
    const work = sut.transaction(async (transaction) => {
      await add(transaction, 'a');
      await add(transaction, 'a').catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await notes()).toEqual([]);
  });

  it('keeps its connection after a rollback', async () => {
    const connection = await connectionOf(sut);
    await sut.transaction(() => Promise.reject(new Error('no'))).catch(() => undefined);
    expect(await connectionOf(sut)).toBe(connection);
  });

  it('does not use a broken connection again', async () => {
    const broken = await connectionOf(sut);
    const work = sut.transaction(async (transaction) => {
      await add(transaction, 'a');
      await stores.database.query('break', 'SELECT pg_terminate_backend($1)', [broken]);
      await add(transaction, 'b');
    });
    await expect(work).rejects.toThrow(/terminat|not queryable/);
    const next = await connectionOf(sut);
    expect(next).toEqual(expect.any(Number));
    expect(next).not.toBe(broken);
    expect(await notes()).toEqual([]);
  });

  it('runs a task after the commit once', async () => {
    const afterCommit = jest.fn<() => void>();
    await sut.transaction(async (transaction) => {
      await add(transaction, 'a');
      transaction.afterCommit(afterCommit);
      expect(afterCommit).not.toHaveBeenCalled();
    });
    expect(afterCommit).toHaveBeenCalledTimes(1);
  });

  it('resolves when the tasks after the commit have ended, which begin in their order', async () => {
    const log: string[] = [];
    await sut.transaction(async (transaction) => {
      transaction.afterCommit(async () => {
        log.push('the first begins');
        await setImmediate();
        log.push('the first ends');
      });
      transaction.afterCommit(() => void log.push('the second'));
    });
    expect(log).toEqual(['the first begins', 'the second', 'the first ends']);
  });

  it('does not run a task after a rollback', async () => {
    const afterCommit = jest.fn<() => void>();
    const work = sut.transaction(async (transaction) => {
      transaction.afterCommit(afterCommit);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(afterCommit).not.toHaveBeenCalled();
  });

  it('logs a failed task and resolves nevertheless', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const next = jest.fn<() => void>();
    const result = await sut.transaction(async (transaction) => {
      transaction.afterCommit(() => {
        throw new Error('The queues are down');
      });
      transaction.afterCommit(() => Promise.reject(new Error('Redis is down')));
      transaction.afterCommit(next);
      return 5;
    });
    expect(result).toBe(5);
    expect(log).toHaveBeenCalledWith('Work after a commit failed: Error: The queues are down');
    expect(log).toHaveBeenCalledWith('Work after a commit failed: Error: Redis is down');
    expect(next).toHaveBeenCalledTimes(1);
    log.mockRestore();
  });

  describe('joined by nested work', () => {
    const addBoth = (session: Session) =>
      session.transaction(async (transaction) => {
        await add(transaction, 'inner a');
        await add(transaction, 'inner b');
      });

    it('commits the nested work with the rest', async () => {
      await sut.transaction(async (transaction) => {
        await add(transaction, 'outer');
        await addBoth(transaction);
        expect(await notes(stores.database)).toEqual([]);
      });
      expect(await notes()).toEqual(['inner a', 'inner b', 'outer']);
    });

    it('rolls back the nested work with the rest', async () => {
      const work = sut.transaction(async (transaction) => {
        await addBoth(transaction);
        throw new Error('too late');
      });
      await expect(work).rejects.toThrow('too late');
      expect(await notes()).toEqual([]);
    });

    it('starts a new transaction on the pool', async () => {
      await addBoth(sut);
      expect(await notes()).toEqual(['inner a', 'inner b']);
    });
  });
});

describe('A connection that ends between two uses', () => {
  it('fails the next transaction, and not the program', async () => {
    const proxy = await startSwitchableProxy(stores.url);
    const database = new Database({ url: proxy.url, poolSize: 1 });
    try {
      const pid = await connectionOf(database);
      const isConnected = async (state = '%') =>
        (await sut.query('activity', ACTIVITY, [pid, state])).length === 1;
      let waiting: Promise<unknown> = Promise.resolve();
      let next: Promise<unknown> = Promise.resolve();
      await sut.transaction(async (transaction) => {
        await transaction.query('lock', 'SELECT pg_advisory_xact_lock(1)');
        waiting = database.query('wait', 'SELECT pg_advisory_xact_lock_shared(1)');
        next = database.transaction((own) => connectionOf(own));
        next.catch(() => undefined);
        await untilLockWaits(stores.database, 1, 'lock_shared');
        proxy.stall();
      });
      // The result of the statement and the end of the connection arrive together.
      await eventually(async () => expect(await isConnected('idle')).toBe(true));
      await sut.query('terminate', 'SELECT pg_terminate_backend($1)', [pid]);
      await eventually(async () => expect(await isConnected()).toBe(false));
      proxy.resume();
      await waiting;
      await expect(next).rejects.toThrow(/connection/i);
      expect(await connectionOf(database)).not.toBe(pid);
    } finally {
      await database.onApplicationShutdown();
      await proxy.stop();
    }
  });
});
